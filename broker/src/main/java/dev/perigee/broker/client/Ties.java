package dev.perigee.broker.client;

import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which groups of one kind have a member on which connection, so that a connection that closes is dropped from its own
 * groups without a look at all others. A tie changes only while nobody else changes its group.
 */
@ThreadSafe
final class Ties {
    private final ConcurrentHashMap<Connection, Set<String>> groups = new ConcurrentHashMap<>();

    /** The group has a member on the connection. */
    void tie(String group, Connection connection) {
        groups.compute(connection, (same, known) -> {
            Set<String> tied = known == null ? ConcurrentHashMap.newKeySet(1) : known;
            tied.add(group);
            return tied;
        });
    }

    /** The group has no member on the connection any more. */
    void untie(String group, Connection connection) {
        groups.computeIfPresent(connection, (same, tied) -> {
            tied.remove(group);
            return tied.isEmpty() ? null : tied;
        });
    }

    /** The groups with a member on this connection. */
    Set<String> of(Connection connection) {
        return InOrder.copyOf(groups.getOrDefault(connection, Set.of()));
    }

    /** How many connections have a member in some group. */
    int connections() {
        return groups.size();
    }
}
