package dev.perigee.client.admin;

import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
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
        AdminOperation operation = calls.begin();
        return operation.nameServers();
    }

    /** All settings of one NameServer. */
    public Map<String, String> config(String address) throws ClientException {
        AdminOperation operation = calls.begin();
        byte[] body = operation
                .demand(address, Rpcs.GET_NAMESRV_CONFIG, NoHeader.NONE, null, AdminOperation.NO_TOPIC)
                .body();
        return SettingLines.parse(new String(body, StandardCharsets.UTF_8));
    }

    /** Changes settings of one NameServer. */
    public void updateConfig(String address, Map<String, String> changes) throws ClientException {
        AdminOperation operation = calls.begin();
        byte[] body = SettingLines.format(changes).getBytes(StandardCharsets.UTF_8);
        operation.demand(address, Rpcs.UPDATE_NAMESRV_CONFIG, NoHeader.NONE, body, AdminOperation.NO_TOPIC);
    }

    /** Stores a value in every NameServer. */
    public void putKv(String namespace, String key, String value) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demandAll(
                operation.nameServers(),
                Rpcs.PUT_KV_CONFIG,
                new PutKvHeader(namespace, key, value),
                null,
                AdminOperation.NO_TOPIC);
    }

    /** A value, from one NameServer. */
    public Optional<String> getKv(String namespace, String key) throws ClientException {
        AdminOperation operation = calls.begin();
        Answered<KvResponse> answered =
                operation.askNameServer(Rpcs.GET_KV_CONFIG, new KvHeader(namespace, key), AdminOperation.NO_TOPIC);
        Answer<KvResponse> answer = answered.answer();
        if (answer.code() == ResponseCode.QUERY_NOT_FOUND) {
            return Optional.empty();
        }
        @Nullable KvResponse header = answer.header();
        if (!answer.isOk() || header == null) {
            throw answered.refused(false);
        }
        return Optional.ofNullable(header.value());
    }

    /** Removes a value from every NameServer. */
    public void deleteKv(String namespace, String key) throws ClientException {
        AdminOperation operation = calls.begin();
        operation.demandAll(
                operation.nameServers(),
                Rpcs.DELETE_KV_CONFIG,
                new KvHeader(namespace, key),
                null,
                AdminOperation.NO_TOPIC);
    }

    /** All values of a namespace, from one NameServer. */
    public Map<String, String> listKv(String namespace) throws ClientException {
        AdminOperation operation = calls.begin();
        Answered<?> answered = operation.askNameServer(
                Rpcs.GET_KVLIST_BY_NAMESPACE, new KvNamespaceHeader(namespace), AdminOperation.NO_TOPIC);
        if (answered.code() == ResponseCode.QUERY_NOT_FOUND) {
            return Map.of();
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return new TreeMap<>(answered.read(KvTable.class).table());
    }
}
