package dev.perigee.client.admin;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.route.NameServers;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.kv.KvHeader;
import dev.perigee.protocol.header.kv.KvNamespaceHeader;
import dev.perigee.protocol.header.kv.KvResponse;
import dev.perigee.protocol.header.kv.PutKvHeader;
import dev.perigee.protocol.route.KvTable;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** NameServers: settings and their key-value table. All methods block up to the admin timeout. */
@ThreadSafe
public final class NameServerAdmin {
    /** The namespace of queue orders; key is the topic, value {@code broker-a:4;broker-b:2}. */
    public static final String ORDER_TOPIC_CONFIG = "ORDER_TOPIC_CONFIG";

    private final AdminCalls calls;

    NameServerAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /** The configured addresses. */
    public List<String> addresses() throws ClientException {
        return calls.nameServers();
    }

    /** All settings of one NameServer. */
    public Map<String, String> config(String address) throws ClientException {
        byte[] body = calls.demand(address, Rpcs.GET_NAMESRV_CONFIG, NoHeader.NONE, null, AdminCalls.NO_TOPIC)
                .body();
        return SettingLines.parse(new String(body, StandardCharsets.UTF_8));
    }

    /** Changes settings of one NameServer. */
    public void updateConfig(String address, Map<String, String> changes) throws ClientException {
        byte[] body = SettingLines.format(changes).getBytes(StandardCharsets.UTF_8);
        calls.demand(address, Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, body, AdminCalls.NO_TOPIC);
    }

    /** Stores a value in every NameServer. */
    public void putKv(String namespace, String key, String value) throws ClientException {
        calls.demandAll(
                calls.nameServers(),
                Rpcs.PUT_KV_CONFIG,
                new PutKvHeader(namespace, key, value),
                null,
                AdminCalls.NO_TOPIC);
    }

    /** A value, from one NameServer. */
    public Optional<String> getKv(String namespace, String key) throws ClientException {
        NameServers.Answered<KvResponse> answered =
                calls.askNameServer(Rpcs.GET_KV_CONFIG, new KvHeader(namespace, key), AdminCalls.NO_TOPIC);
        Answer<KvResponse> answer = answered.answer();
        if (answer.code() == ResponseCode.QUERY_NOT_FOUND) {
            return Optional.empty();
        }
        @Nullable KvResponse header = answer.header();
        if (!answer.isOk() || header == null) {
            throw Failures.refused(answer, false, answered.site());
        }
        return Optional.ofNullable(header.value());
    }

    /** Removes a value from every NameServer. */
    public void deleteKv(String namespace, String key) throws ClientException {
        calls.demandAll(
                calls.nameServers(), Rpcs.DELETE_KV_CONFIG, new KvHeader(namespace, key), null, AdminCalls.NO_TOPIC);
    }

    /** All values of a namespace, from one NameServer. */
    public Map<String, String> listKv(String namespace) throws ClientException {
        NameServers.Answered<?> answered = calls.askNameServer(
                Rpcs.GET_KVLIST_BY_NAMESPACE, new KvNamespaceHeader(namespace), AdminCalls.NO_TOPIC);
        Answer<?> answer = answered.answer();
        if (answer.code() == ResponseCode.QUERY_NOT_FOUND) {
            return Map.of();
        }
        if (!answer.isOk()) {
            throw Failures.refused(answer, false, answered.site());
        }
        return new TreeMap<>(
                AdminCalls.read(answer.body(), KvTable.class, answered.site()).table());
    }
}
