package dev.perigee.protocol.allocate;

import dev.perigee.protocol.message.MessageQueue;

/** Tells in which machine room a queue's broker and a client stand. Pure; may be called from any thread. */
public interface MachineRooms {
    /** The room of the queue's broker; never blank. */
    String ofQueue(MessageQueue queue);

    /** The room of a client; never blank. */
    String ofClient(String clientId);
}
