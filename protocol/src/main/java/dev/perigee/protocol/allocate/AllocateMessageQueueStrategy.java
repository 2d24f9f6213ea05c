package dev.perigee.protocol.allocate;

import dev.perigee.protocol.message.MessageQueue;
import java.util.List;

/**
 * Shares queues among the members of a group. A pure function: every member computes it alone, and when all see the same
 * queues and members, every queue belongs to exactly one of them ({@link AllocateMessageQueueByConfig} and
 * {@link AllocateMessageQueueByMachineRoom} excepted, which may leave queues out).
 *
 * <p>Implementations are immutable and may be called from any thread.
 */
public interface AllocateMessageQueueStrategy {
    /** The name on the wire. */
    String name();

    /**
     * The queues that belong to one member.
     *
     * @param group the consumer group; none of the built-in strategies looks at it
     * @param self the client id asking
     * @param queues all queues, sorted
     * @param members all client ids, sorted
     * @return the queues of {@code self}; empty when it is not among the members
     */
    List<MessageQueue> allocate(String group, String self, List<MessageQueue> queues, List<String> members);
}
