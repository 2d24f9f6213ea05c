package dev.perigee.cli.group;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.admin.GroupMember;
import dev.perigee.client.error.ClientException;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.client.ConsumerConnection;
import dev.perigee.protocol.client.ConsumerRunningInfo;
import dev.perigee.protocol.client.QueueRunningInfo;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.group.ExpressionType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The connected members of one group: what each subscribes to, which queues it reads, and where members of the group want
 * different things of the same topic.
 *
 * @param group what a broker says of the group as a whole, as its last heartbeat described it; empty when no member is
 *     connected
 * @param members by client id
 * @param conflicts topic → client id → what that member wants of it
 */
@Immutable
record GroupMembers(
        Optional<ConsumerConnection> group, List<GroupMember> members, Map<String, Map<String, String>> conflicts) {
    private static final List<Column<GroupMember>> MEMBERS = List.of(
            Column.json("clientId", member -> member.client().clientId()),
            Column.json("address", member -> member.client().address()),
            Column.json("language", member -> member.client().language()),
            Column.json("version", member -> member.client().version()),
            Column.json("brokers", member -> List.copyOf(member.client().brokers())),
            Column.json(
                    "subscriptions",
                    member -> member.state()
                            .map(state -> subscriptions(state.subscriptionSet()))
                            .orElse(null)),
            Column.json(
                    "queues", member -> member.state().map(GroupMembers::queues).orElse(null)),
            Column.json("silence", member -> member.silence().isEmpty() ? null : member.silence()));

    private static final List<Column<SubscriptionData>> SUBSCRIPTIONS = List.of(
            Column.json("topic", SubscriptionData::topic),
            Column.json("expression", SubscriptionData::subString),
            Column.json("type", SubscriptionData::expressionType),
            Column.json("tags", wanted -> new TreeSet<>(wanted.tagsSet())),
            Column.json("subVersion", SubscriptionData::subVersion),
            Column.json("classFilterMode", SubscriptionData::classFilterMode));

    private static final List<Column<Map.Entry<MessageQueue, QueueRunningInfo>>> QUEUES = List.of(
            Column.json("topic", entry -> entry.getKey().topic()),
            Column.json("broker", entry -> entry.getKey().brokerName()),
            Column.json("queue", entry -> entry.getKey().queueId()),
            Column.json("commitOffset", entry -> entry.getValue().commitOffset()),
            Column.json("cachedMessages", entry -> entry.getValue().cachedMsgCount()),
            Column.json("locked", entry -> entry.getValue().locked()));

    /** Asks every broker, and through them every member. Blocks. */
    static GroupMembers of(AdminClient admin, String group) throws ClientException {
        Map<String, ConsumerConnection> connections = admin.clients().connections(group);
        Map<String, Map<String, String>> conflicts = new TreeMap<>();
        for (ConsumerConnection seen : connections.values()) {
            Map<String, Map<String, String>> differing = seen.subscriptionConflicts();
            if (differing != null) {
                differing.forEach((topic, wishes) -> conflicts
                        .computeIfAbsent(topic, name -> new TreeMap<>())
                        .putAll(wishes));
            }
        }
        return new GroupMembers(
                connections.values().stream().findFirst(), admin.clients().members(group, connections), conflicts);
    }

    int count() {
        return members.size();
    }

    /** Whether the members keep their offsets themselves. */
    boolean isBroadcasting() {
        return group.map(ConsumerConnection::messageModel).orElse(null) == MessageModel.BROADCASTING;
    }

    /** queue → the members that say that they read it. */
    Map<MessageQueue, List<String>> owners() {
        Map<MessageQueue, List<String>> owners = new TreeMap<>();
        for (GroupMember member : members) {
            member.state()
                    .ifPresent(state -> held(state)
                            .keySet()
                            .forEach(queue -> owners.computeIfAbsent(queue, key -> new ArrayList<>())
                                    .add(member.client().clientId())));
        }
        return owners;
    }

    /** Each member, and then where they differ. */
    void print(Printer printer) {
        for (GroupMember member : members) {
            String version = PeerVersion.describe(member.client().version());
            printer.line("  " + member.client().clientId() + " from "
                    + member.client().address() + ", " + member.client().language() + " " + version + ": "
                    + wishes(member));
        }
        conflicts.forEach((topic, wishes) -> {
            printer.line("the members want different things of topic " + topic + ":");
            wishes.forEach((clientId, wish) -> printer.line("  " + clientId + " wants " + wish));
        });
    }

    private static String wishes(GroupMember member) {
        return member.state()
                .map(state -> state.subscriptionSet().stream()
                        .filter(wanted -> !TopicName.isRetry(wanted.topic()))
                        .map(GroupMembers::text)
                        .sorted()
                        .collect(Collectors.joining(", ")))
                .map(text -> text.isEmpty() ? "subscribes to nothing" : text)
                .orElse("did not say what it reads: " + member.silence());
    }

    private static String text(SubscriptionData wanted) {
        boolean isAll = ExpressionType.isTag(wanted.expressionType())
                && wanted.subString().equals(SubscriptionData.ALL);
        return wanted.topic() + (isAll ? "" : " (" + wanted.expressionType() + " " + wanted.subString() + ")");
    }

    /** Adds what there is, in JSON's form. */
    void addTo(Map<String, Object> whole) {
        whole.put("members", Printer.objects(members, MEMBERS));
        group.ifPresent(consumers -> {
            putName(whole, "consumeType", consumers.consumeType());
            putName(whole, "messageModel", consumers.messageModel());
            putName(whole, "consumeFromWhere", consumers.consumeFromWhere());
            whole.put("subscriptions", subscriptions(new TreeMap<>(consumers.subscriptionTable()).values()));
            whole.put("conflicts", conflicts);
        });
    }

    private static void putName(Map<String, Object> whole, String member, @Nullable Enum<?> value) {
        if (value != null) {
            whole.put(member, value.name());
        }
    }

    private static List<Map<String, Object>> subscriptions(Collection<SubscriptionData> all) {
        Map<String, SubscriptionData> byTopic = new TreeMap<>();
        all.forEach(wanted -> byTopic.put(wanted.topic(), wanted));
        return Printer.objects(List.copyOf(byTopic.values()), SUBSCRIPTIONS);
    }

    private static List<Map<String, Object>> queues(ConsumerRunningInfo state) {
        return Printer.objects(List.copyOf(held(state).entrySet()), QUEUES);
    }

    private static Map<MessageQueue, QueueRunningInfo> held(ConsumerRunningInfo state) {
        Map<MessageQueue, QueueRunningInfo> held = new TreeMap<>(state.mqTable());
        held.values().removeIf(QueueRunningInfo::dropped);
        return held;
    }
}
