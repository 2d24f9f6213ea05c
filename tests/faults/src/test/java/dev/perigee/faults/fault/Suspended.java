package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;

/** The process is stopped (SIGSTOP) and runs on (SIGCONT), as in a long pause of its collector or of its machine. */
record Suspended(Node node) implements Fault {
    @Override
    public void start() throws IOException {
        node.suspend();
    }

    @Override
    public void heal() throws IOException {
        node.resume();
    }
}
