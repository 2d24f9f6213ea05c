package dev.perigee.broker.client;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A consumer group as its members describe it; the last heartbeat wins.
 *
 * @param name the group
 * @param consumeType push, pull or pop
 * @param messageModel clustering or broadcasting
 * @param fromWhere where its members want to start
 * @param subscriptions topic → what of it is wanted
 * @param order the place of the sighting that described it so
 * @param members its clients, at least one
 */
@Immutable
public record ConsumerGroup(
        String name,
        ConsumeType consumeType,
        MessageModel messageModel,
        ConsumeFromWhere fromWhere,
        Map<String, SubscriptionData> subscriptions,
        long order,
        List<Member> members) {
    public ConsumerGroup {
        subscriptions = Map.copyOf(subscriptions);
        members = List.copyOf(members);
    }

    /** The ids of its members, each once. */
    public List<String> clientIds() {
        return members.stream().map(Member::clientId).distinct().toList();
    }

    /** What it wants of a topic, or null. */
    public @Nullable SubscriptionData subscription(String topic) {
        return subscriptions.get(topic);
    }

    /** The member with this client id, or null. */
    public @Nullable Member member(String clientId) {
        return find(members, clientId);
    }

    static @Nullable Member find(Collection<Member> members, String clientId) {
        for (Member member : members) {
            if (member.clientId().equals(clientId)) {
                return member;
            }
        }
        return null;
    }
}
