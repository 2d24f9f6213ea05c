package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;

/** The disk of the node has no room. */
record FullDisk(Node node) implements Fault {
    @Override
    public void start() throws IOException {
        node.volume().fill();
    }

    @Override
    public void heal() throws IOException {
        node.volume().makeRoom();
    }
}
