package dev.perigee.sim.ledger;

import dev.perigee.protocol.message.MessageQueue;
import java.util.Map;
import java.util.Set;

/**
 * A group at one instant.
 *
 * @param atMs when
 * @param listed client ids of the members the broker knows
 * @param live client ids of the members that are in the group and want to stay
 * @param owned which queues each of these says are its own
 * @param faultMs when the network of one of them last lost something
 */
public record Look(
        long atMs,
        Group group,
        Set<String> listed,
        Set<String> live,
        Map<String, Set<MessageQueue>> owned,
        long faultMs) {}
