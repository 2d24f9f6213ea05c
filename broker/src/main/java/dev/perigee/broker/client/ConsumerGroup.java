package dev.perigee.broker.client;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import dev.perigee.remoting.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** A consumer group: how the last heartbeat described it, and its members as each of them describes itself. */
@Immutable
public final class ConsumerGroup {
    private final String name;
    private final ConsumeType consumeType;
    private final MessageModel messageModel;
    private final ConsumeFromWhere fromWhere;
    private final Map<String, SubscriptionData> subscriptions;
    private final long order;
    private final List<Member> members;
    private final Map<Connection, Member> byConnection;
    /** Each client as it is on its youngest connection: what is on another one is of before. */
    private final Map<String, Member> byClientId;

    /** @param order the place of the sighting that described it so */
    ConsumerGroup(
            String name,
            ConsumeType consumeType,
            MessageModel messageModel,
            ConsumeFromWhere fromWhere,
            Map<String, SubscriptionData> subscriptions,
            long order,
            List<Member> members) {
        this.name = name;
        this.consumeType = consumeType;
        this.messageModel = messageModel;
        this.fromWhere = fromWhere;
        this.subscriptions = subscriptions;
        this.order = order;
        this.members = List.copyOf(members);
        this.byConnection = new HashMap<>(members.size() * 2);
        this.byClientId = new HashMap<>(members.size() * 2);
        for (Member member : members) {
            byConnection.put(member.connection(), member);
            byClientId.merge(member.clientId(), member, ConsumerGroup::younger);
        }
    }

    private static Member younger(Member known, Member other) {
        return known.connection().openedMs() > other.connection().openedMs() ? known : other;
    }

    ConsumerGroup withMembers(List<Member> others) {
        return new ConsumerGroup(name, consumeType, messageModel, fromWhere, subscriptions, order, others);
    }

    /** The group's name. */
    public String name() {
        return name;
    }

    /** Push, pull or pop. */
    public ConsumeType consumeType() {
        return consumeType;
    }

    /** Clustering or broadcasting. */
    public MessageModel messageModel() {
        return messageModel;
    }

    /** Where its members want to start. */
    public ConsumeFromWhere fromWhere() {
        return fromWhere;
    }

    /** topic → what of it the last heartbeat wanted; what each member wants is {@link Member#subscriptions}. */
    public Map<String, SubscriptionData> subscriptions() {
        return subscriptions;
    }

    /** What the last heartbeat wanted of a topic, or null. */
    public @Nullable SubscriptionData subscription(String topic) {
        return subscriptions.get(topic);
    }

    /** Its clients, each connection once; none only where a group comes or goes. */
    public List<Member> members() {
        return members;
    }

    /** The ids of its members, each once. */
    public List<String> clientIds() {
        return members.stream().map(Member::clientId).distinct().toList();
    }

    /** Its clients that consume by broadcasting: each keeps its offsets itself. */
    public List<Member> broadcasting() {
        return members.stream()
                .filter(member -> member.messageModel() == MessageModel.BROADCASTING)
                .toList();
    }

    /** Whether all of them do, so that the group has no offsets at the broker. */
    public boolean isBroadcasting() {
        return members.stream().allMatch(member -> member.messageModel() == MessageModel.BROADCASTING);
    }

    /** The member with this client id, on its youngest connection; or null. */
    public @Nullable Member member(String clientId) {
        return byClientId.get(clientId);
    }

    /**
     * The member on this connection; null when there is none: a tool, a client that sent no heartbeat here yet, or one that
     * sends its heartbeats on another connection.
     */
    public @Nullable Member memberOn(Connection connection) {
        if (connection instanceof ForwardedClient client) { // it has a connection of its own here, if it is known
            String id = client.clientId();
            return id == null ? null : member(id);
        }
        return byConnection.get(connection);
    }

    /** The place of the sighting that described it. */
    long order() {
        return order;
    }

    /** Whether any member wants something of the topic. */
    public boolean wants(String topic) {
        return subscriptions.containsKey(topic)
                || members.stream().anyMatch(member -> member.subscription(topic) != null);
    }

    /** Whether other members are there than before, or one wants other topics: the queues have to be shared out anew. */
    boolean isOtherwiseShared(ConsumerGroup before) {
        return !byConnection.keySet().equals(before.byConnection.keySet())
                || isAnyOtherwise(
                        before,
                        (same, member) -> !same.subscriptions()
                                .keySet()
                                .equals(member.subscriptions().keySet()));
    }

    /** Whether anything is different that others may want to know: also when a member wants something else of a topic. */
    boolean differsFrom(ConsumerGroup before) {
        return !byConnection.keySet().equals(before.byConnection.keySet())
                || isAnyOtherwise(before, (same, member) -> same.subscriptions() != member.subscriptions());
    }

    private boolean isAnyOtherwise(ConsumerGroup before, BiPredicate<Member, Member> differ) {
        for (Member member : members) {
            Member same = before.memberOn(member.connection());
            if (same == null || (same != member && differ.test(same, member))) {
                return true;
            }
        }
        return false;
    }
}
