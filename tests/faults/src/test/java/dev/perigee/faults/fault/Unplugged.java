package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;

/** The link of the node is down. */
record Unplugged(Node node) implements Fault {
    @Override
    public void start() throws IOException {
        node.cable().unplug();
    }

    @Override
    public void heal() throws IOException {
        node.cable().plug();
    }
}
