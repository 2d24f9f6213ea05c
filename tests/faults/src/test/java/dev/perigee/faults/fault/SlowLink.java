package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;

/** The link of the node lets through less than the load needs. */
record SlowLink(Node node, long bytesPerSecond) implements Fault {
    @Override
    public void start() throws IOException {
        node.cable().limit(bytesPerSecond);
    }

    @Override
    public void heal() throws IOException {
        node.cable().unlimit();
    }
}
