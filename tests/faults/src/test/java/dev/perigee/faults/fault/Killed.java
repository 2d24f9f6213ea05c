package dev.perigee.faults.fault;

import dev.perigee.faults.cluster.Node;
import java.io.IOException;

/** The process is killed (SIGKILL) and started again. What it had written stays, synced or not: the kernel has it. */
record Killed(Node node) implements Fault {
    @Override
    public void start() throws IOException {
        node.kill();
    }

    @Override
    public void heal() throws IOException {
        node.launch();
    }
}
