package dev.perigee.client.admin;

import dev.perigee.loop.Immutable;
import java.util.SortedSet;

/**
 * One client as brokers see it, in one group.
 *
 * @param role what it is in that group
 * @param address where it connects from, as the first broker sees it
 * @param language empty when it did not say
 * @param version number of its protocol version
 * @param brokers addresses of the brokers it is connected to
 */
@Immutable
public record ConnectedClient(
        String clientId,
        Role role,
        String group,
        String address,
        String language,
        int version,
        SortedSet<String> brokers) {
    /** What a client is in a group. */
    public enum Role {
        PRODUCER,
        CONSUMER
    }
}
