package dev.perigee.sim.cluster;

import dev.perigee.loop.Loop;
import dev.perigee.remoting.memory.MemoryTransport;

/** A broker that was made from nothing but a copy of another one's log, at the same instant, on a machine and a network of its own. */
public final class LoneBroker {
    private static final int MAX_STEPS = 100_000;

    private final TurnedClock clock;
    private final MemoryTransport transport;
    private final BrokerMachine machine;

    LoneBroker(TurnedClock clock, MemoryTransport transport, BrokerMachine machine) {
        this.clock = clock;
        this.transport = transport;
        this.machine = machine;
    }

    /** Where it runs. */
    public BrokerMachine machine() {
        return machine;
    }

    /** The only way to it. */
    public MemoryTransport network() {
        return transport;
    }

    /** Does all there is to do at this instant. */
    public void settle() {
        for (int i = 0; i < MAX_STEPS; i++) {
            int done = transport.step() ? 1 : 0;
            for (Loop loop : machine.loops()) {
                done += loop.doWork(clock.monotonicMs());
            }
            if (done == 0) {
                return;
            }
        }
        throw new IllegalStateException(machine.name() + ", made anew, does not come to rest");
    }
}
