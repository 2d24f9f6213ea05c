package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import dev.perigee.faults.machine.Cable.Direction;
import java.io.IOException;

/** The node does not hear the others, or is not heard by them, or loses a part of that. */
record OneWayLoss(Node node, Direction direction, int percent) implements Fault {
    @Override
    public void start() throws IOException {
        node.cable().lose(direction, percent);
    }

    @Override
    public void heal() throws IOException {
        node.cable().loseNothing();
    }
}
