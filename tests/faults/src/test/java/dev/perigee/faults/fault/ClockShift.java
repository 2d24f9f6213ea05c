package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;
import java.time.Duration;

/** The wall clock of the process steps forth or back, and back to what it was. */
record ClockShift(Node node, Duration offset) implements Fault {
    @Override
    public void start() throws IOException {
        node.clock().shift(offset);
    }

    @Override
    public void heal() throws IOException {
        node.clock().shift(Duration.ZERO);
    }
}
