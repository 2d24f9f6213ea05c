package dev.perigee.broker.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueLocksTest {
    private static final MessageQueue Q0 = new MessageQueue("T", "b", 0);
    private static final MessageQueue Q1 = new MessageQueue("T", "b", 1);

    private final QueueLocks locks = new QueueLocks();

    @Test
    void aQueueBelongsToWhoLockedItFirst() {
        assertThat(locks.lock("g", "a", List.of(Q0), 0)).containsExactly(Q0);
        assertThat(locks.lock("g", "b", List.of(Q0, Q1), 1)).containsExactly(Q1);
    }

    @Test
    void groupsDoNotShareLocks() {
        locks.lock("g", "a", List.of(Q0), 0);
        assertThat(locks.lock("h", "b", List.of(Q0), 0)).containsExactly(Q0);
    }

    @Test
    void aLockExpiresSixtySecondsAfterItsLastRenewal() {
        locks.lock("g", "a", List.of(Q0), 0);
        locks.lock("g", "a", List.of(Q0), 30_000);
        assertThat(locks.lock("g", "b", List.of(Q0), 90_000)).isEmpty();
        assertThat(locks.lock("g", "b", List.of(Q0), 90_001)).containsExactly(Q0);
    }

    @Test
    void onlyTheHolderUnlocks() {
        locks.lock("g", "a", List.of(Q0), 0);
        locks.unlock("g", "b", List.of(Q0));
        assertThat(locks.lock("g", "b", List.of(Q0), 1)).isEmpty();
        locks.unlock("g", "a", List.of(Q0));
        assertThat(locks.lock("g", "b", List.of(Q0), 1)).containsExactly(Q0);
    }

    @Test
    void sweepingForgetsExpiredLocksOnly() {
        locks.lock("g", "a", List.of(Q0), 0);
        locks.lock("g", "a", List.of(Q1), 50_000);
        locks.sweep(70_000);
        assertThat(locks.anyLocked("g", 70_000)).isTrue();
        locks.sweep(120_000);
        assertThat(locks.anyLocked("g", 70_000)).isFalse();
    }
}
