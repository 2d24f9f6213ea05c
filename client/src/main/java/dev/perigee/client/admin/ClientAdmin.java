package dev.perigee.client.admin;

import dev.perigee.client.admin.ConnectedClient.Role;
import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ClientConnection;
import dev.perigee.protocol.client.ConsumerConnection;
import dev.perigee.protocol.client.ProducerTable;
import dev.perigee.protocol.group.SubscriptionGroupTable;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.group.AllGroupConfigHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Who is connected. All methods block up to the admin timeout per call. */
@ThreadSafe
public final class ClientAdmin {
    /** Questions under way at one broker. */
    private static final int AT_ONCE = 64;

    private final AdminCalls calls;

    ClientAdmin(AdminCalls calls) {
        this.calls = calls;
    }

    /** All producers and members of consumer groups at all masters, by group and client id; asks once per group. */
    public List<ConnectedClient> list() throws ClientException {
        Found found = new Found();
        for (String address : calls.begin().masters("")) {
            producers(address, found);
            consumers(address, groups(address), found);
        }
        return found.all();
    }

    /** The members of one consumer group at all masters, by client id; empty when none is connected. */
    public List<ConnectedClient> ofGroup(String group) throws ClientException {
        Found found = new Found();
        for (String address : calls.begin().masters("")) {
            consumers(address, List.of(group), found);
        }
        return found.all();
    }

    private Collection<String> groups(String address) throws ClientException {
        return new TreeSet<>(calls.begin()
                .read(
                        address,
                        Rpcs.GET_ALL_SUBSCRIPTIONGROUP_CONFIG,
                        new AllGroupConfigHeader(null, null, null),
                        AdminOperation.NO_TOPIC,
                        SubscriptionGroupTable.class)
                .subscriptionGroupTable()
                .keySet());
    }

    private void producers(String address, Found found) throws ClientException {
        ProducerTable table = calls.begin()
                .read(address, Rpcs.GET_ALL_PRODUCER_INFO, NoHeader.NONE, AdminOperation.NO_TOPIC, ProducerTable.class);
        table.data()
                .forEach((group, producers) -> producers.forEach(producer -> found.add(
                        Role.PRODUCER,
                        group,
                        address,
                        new ClientConnection(
                                producer.clientId(),
                                producer.remoteAddress().replaceFirst("^/", ""),
                                producer.language(),
                                producer.version()))));
    }

    private void consumers(String address, Collection<String> groups, Found found) throws ClientException {
        List<String> left = new ArrayList<>(groups);
        for (int from = 0; from < left.size(); from += AT_ONCE) {
            List<String> some = left.subList(from, Math.min(left.size(), from + AT_ONCE));
            List<? extends Answered<?>> answers = calls.begin()
                    .askEach(
                            address,
                            Rpcs.GET_CONSUMER_CONNECTION_LIST,
                            some.stream().map(ConsumerGroupHeader::new).toList(),
                            AdminOperation.NO_TOPIC);
            for (int i = 0; i < some.size(); i++) {
                members(address, some.get(i), answers.get(i), found);
            }
        }
    }

    private static void members(String address, String group, Answered<?> answered, Found found)
            throws ClientException {
        if (answered.code() == ResponseCode.CONSUMER_NOT_ONLINE) {
            return;
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        answered.read(ConsumerConnection.class)
                .connectionSet()
                .forEach(member -> found.add(Role.CONSUMER, group, address, member));
    }

    /** Clients as they come in, each once. */
    private static final class Found {
        private final Map<String, ConnectedClient> byKey = new TreeMap<>();

        void add(Role role, String group, String broker, ClientConnection client) {
            String language = client.language();
            byKey.computeIfAbsent(
                            group + "\n" + client.clientId() + "\n" + role,
                            key -> new ConnectedClient(
                                    client.clientId(),
                                    role,
                                    group,
                                    client.clientAddr(),
                                    language == null ? "" : language,
                                    client.version(),
                                    new TreeSet<>()))
                    .brokers()
                    .add(broker);
        }

        List<ConnectedClient> all() {
            return List.copyOf(byKey.values());
        }
    }
}
