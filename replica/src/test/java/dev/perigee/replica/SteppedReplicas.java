package dev.perigee.replica;

import dev.perigee.loop.Clock;
import dev.perigee.remoting.memory.MemoryTransport;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;

/** Nodes on the test's thread over one network in memory; time passes only when the test lets it. */
final class SteppedReplicas {
    static final long STEP_MS = 10;
    private static final int NETWORK_STEPS = 100_000;
    private static final int PATIENCE_STEPS = 3_000;

    final Random random;
    final Clock clock = new Clock() {
        @Override
        public long wallMs() {
            return 1_700_000_000_000L + passedMs;
        }

        @Override
        public long monotonicNs() {
            return (1_000 + passedMs) * 1_000_000;
        }
    };
    final MemoryTransport network = new MemoryTransport(clock);
    private final List<ReplicaNode> nodes = new ArrayList<>();
    private long passedMs;

    SteppedReplicas(long seed) {
        this.random = new Random(seed);
    }

    /** A node that is stepped with the others from now on, in the order of their making. */
    ReplicaNode node(long brokerId) {
        ReplicaNode made = new ReplicaNode(brokerId, random, clock, network);
        nodes.add(made);
        return made;
    }

    long passedMs() {
        return passedMs;
    }

    /** One step of time in which nobody does anything. */
    void pass() {
        passedMs += STEP_MS;
    }

    /** All that is on its way arrives. */
    void settle() {
        network.runUntilIdle(NETWORK_STEPS);
    }

    void run(long ms) {
        for (long end = passedMs + ms; passedMs < end; pass()) {
            for (ReplicaNode node : nodes) {
                node.step();
                settle();
            }
        }
    }

    /** Whether that came to be within half a minute. */
    boolean runUntil(BooleanSupplier reached) {
        for (int i = 0; i < PATIENCE_STEPS && !reached.getAsBoolean(); i++) {
            run(STEP_MS);
        }
        return reached.getAsBoolean();
    }

    /** Sends so many messages of random size in each step. */
    void sendFor(long ms, ReplicaNode master, int perStep, int maxBytes) {
        for (long end = passedMs + ms; passedMs < end; ) {
            for (int i = 0; i < perStep; i++) {
                master.send(random.nextInt(maxBytes));
            }
            run(STEP_MS);
        }
    }
}
