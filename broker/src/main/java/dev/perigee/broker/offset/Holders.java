package dev.perigee.broker.offset;

import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.Member;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.remoting.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections of the members that may hold messages from before when the offsets of their group are reset: those that
 * were connected and go by the group's offsets, so none that consumes by broadcasting.
 */
@Immutable
public record Holders(List<Connection> connections) {
    static final Holders NONE = new Holders(List.of());

    public Holders {
        connections = List.copyOf(connections);
    }

    /** Those of a group now; null is a group without connected members. */
    public static Holders of(@Nullable ConsumerGroup group) {
        return group == null
                ? NONE
                : new Holders(group.members().stream()
                        .filter(member -> member.messageModel() != MessageModel.BROADCASTING)
                        .map(Member::connection)
                        .toList());
    }

    boolean isEmpty() {
        return connections.isEmpty();
    }

    boolean isAnyConnected() {
        return connections.stream().anyMatch(Connection::isOpen);
    }
}
