package dev.perigee.broker.registration;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes a broker known when its port is open. Two masters of one name that start at the same moment both pass the {@link MasterFence}, for none
 * of them is known then (R32): so it is asked once more right before, and when NameServers have been told. A NameServer keeps one
 * address for each id, and the port is open by then: whoever finds the other one there gives up; both may.
 */
@OwnedBy("starting thread")
public final class FirstRegistration {
    /** Longest wait until NameServers were told; those that are slower are not asked. */
    static final long TOLD_MS = 3_000;

    private static final long POLL_NS = 1_000_000;

    private final RegistrationDuty duty;
    private final Optional<MasterFence> fence;
    private final Clock clock;

    /** @param fence that was passed at the start; empty where nobody may be waited for, or the broker is no master of others */
    public FirstRegistration(RegistrationDuty duty, Optional<MasterFence> fence, Clock clock) {
        this.duty = duty;
        this.fence = fence;
        this.clock = clock;
    }

    /**
     * Begins to register. Blocks where there is a fence, for {@link #TOLD_MS} and twice {@link MasterFence#TIMEOUT_MS} at most.
     *
     * @param wake wakes the view loop, on which it is registered
     * @throws IOException when another master of the name is there; the text names both
     */
    public void begin(Runnable wake) throws IOException {
        if (fence.isPresent()) {
            fence.get().checkAgain();
        }
        duty.begin();
        wake.run();
        if (fence.isPresent()) {
            awaitTold();
            fence.get().checkAgain();
        }
    }

    private void awaitTold() {
        long endMs = clock.monotonicMs() + TOLD_MS;
        while (!duty.isTold()
                && clock.monotonicMs() < endMs
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(POLL_NS);
        }
    }
}
