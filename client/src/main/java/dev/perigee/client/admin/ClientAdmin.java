package dev.perigee.client.admin;

import dev.perigee.client.admin.ConnectedClient.Role;
import dev.perigee.client.error.Answered;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.client.ClientConnection;
import dev.perigee.protocol.client.ConsumerConnection;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.client.ProducerTable;
import dev.perigee.protocol.group.SubscriptionGroupTable;
import dev.perigee.protocol.header.client.ConsumerGroupHeader;
import dev.perigee.protocol.header.client.RunningInfoHeader;
import dev.perigee.protocol.header.group.AllGroupConfigHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

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

    /** What every master says of a consumer group, by its address; those without a member of it are left out. */
    public Map<String, ConsumerConnection> connections(String group) throws ClientException {
        AdminOperation operation = calls.begin();
        Map<String, ConsumerConnection> connections = new LinkedHashMap<>();
        for (String address : operation.masters("")) {
            Answered<?> answered = operation.ask(
                    address,
                    Rpcs.GET_CONSUMER_CONNECTION_LIST,
                    new ConsumerGroupHeader(group),
                    AdminOperation.NO_TOPIC);
            Optional<ConsumerConnection> seen = connection(answered);
            if (seen.isPresent()) {
                connections.put(address, seen.get());
            }
        }
        return connections;
    }

    /** What one broker says; empty when no member of the group is connected to it. */
    private static Optional<ConsumerConnection> connection(Answered<?> answered) throws ClientException {
        if (answered.code() == ResponseCode.CONSUMER_NOT_ONLINE) {
            return Optional.empty();
        }
        if (!answered.isOk()) {
            throw answered.refused(false);
        }
        return Optional.of(answered.read(ConsumerConnection.class));
    }

    /**
     * The members of a consumer group, by client id, each with what it says about itself: brokers pass the question on, to
     * {@value #AT_ONCE} at a time. A member that gives no answer, or one that cannot be read, is there without.
     *
     * @param connections of that group, as {@link #connections} gave them
     */
    public List<GroupMember> members(String group, Map<String, ConsumerConnection> connections) {
        Found found = new Found();
        connections.forEach((address, seen) -> found.addAll(group, address, seen));
        List<ConnectedClient> clients = found.all();
        List<GroupMember> members = new ArrayList<>();
        for (int from = 0; from < clients.size(); from += AT_ONCE) {
            members.addAll(described(clients.subList(from, Math.min(clients.size(), from + AT_ONCE))));
        }
        return members;
    }

    private List<GroupMember> described(List<ConnectedClient> clients) {
        AdminOperation operation = calls.begin();
        List<CompletableFuture<Answered<NoHeader>>> asked = clients.stream()
                .map(client -> operation.askLater(
                        client.brokers().first(),
                        Rpcs.GET_CONSUMER_RUNNING_INFO,
                        new RunningInfoHeader(client.group(), client.clientId(), false),
                        AdminOperation.NO_TOPIC))
                .toList();
        List<GroupMember> members = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            members.add(described(operation, clients.get(i), asked.get(i)));
        }
        return members;
    }

    private static GroupMember described(
            AdminOperation operation, ConnectedClient client, CompletableFuture<Answered<NoHeader>> asked) {
        try {
            Answered<NoHeader> answered = operation.await(
                    asked, client.brokers().first(), Rpcs.GET_CONSUMER_RUNNING_INFO, AdminOperation.NO_TOPIC);
            return answered.isOk()
                    ? new GroupMember(client, Optional.of(answered.read(ConsumerRunningInfo.class)), "")
                    : new GroupMember(
                            client, Optional.empty(), answered.answer().remarkText());
        } catch (ClientException e) {
            return new GroupMember(client, Optional.empty(), String.valueOf(e.getMessage()));
        }
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
                String group = some.get(i);
                connection(answers.get(i)).ifPresent(seen -> found.addAll(group, address, seen));
            }
        }
    }

    /** Clients as they come in, each once. */
    private static final class Found {
        private final Map<String, ConnectedClient> byKey = new TreeMap<>();

        void addAll(String group, String broker, ConsumerConnection seen) {
            seen.connectionSet().forEach(member -> add(Role.CONSUMER, group, broker, member));
        }

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
