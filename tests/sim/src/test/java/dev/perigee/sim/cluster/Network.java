package dev.perigee.sim.cluster;

import dev.perigee.remoting.memory.MemoryTransport;

/**
 * What all machines of a cluster are plugged into.
 *
 * @param transport carries the frames
 * @param roads how well
 * @param cables makes the network of a process that starts
 */
record Network(MemoryTransport transport, Roads roads, CableMaker cables) {
    /** Makes the network of a process that starts. */
    interface CableMaker {
        Cable make(String process);
    }

    /** Nobody listens at this port any more; whoever was connected hears that it is gone. */
    void unplug(int port) {
        transport.unplug(port);
        transport.breakConnectionsTo(port);
    }
}
