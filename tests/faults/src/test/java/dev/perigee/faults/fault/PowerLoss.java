package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;

/** The machine of the node loses power: it falls silent, and of its disk only what was synced is left. */
record PowerLoss(Node node) implements Fault {
    /** Nobody is told that the connections are gone, and the process does nothing more between the cut and its end. */
    @Override
    public void start() throws IOException {
        node.cable().unplug();
        node.suspend();
        node.volume().losePower();
        node.kill();
    }

    @Override
    public void heal() throws IOException {
        node.volume().regainPower();
        node.cable().plug();
        node.launch();
    }
}
