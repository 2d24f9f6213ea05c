package dev.perigee.broker.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class QueueLocksTest {
    private static final MessageQueue Q0 = new MessageQueue("T", "b", 0);
    private static final MessageQueue Q1 = new MessageQueue("T", "b", 1);

    private static final long LONG_AGO = -1_000_000;

    private final QueueLocks locks = new QueueLocks(Set.of(), LONG_AGO);

    private @Nullable String holder(String group, MessageQueue queue, long nowMs) {
        return locks.holder(group, queue.topic(), queue.brokerName(), queue.queueId(), nowMs);
    }

    @Test
    void aQueueBelongsToWhoLockedItFirst() {
        assertThat(locks.lock("g", "a", List.of(Q0), null, 0).held()).containsExactly(Q0);
        assertThat(locks.lock("g", "b", List.of(Q0, Q1), null, 1).held()).containsExactly(Q1);
    }

    @Test
    void groupsDoNotShareLocks() {
        locks.lock("g", "a", List.of(Q0), null, 0);
        assertThat(locks.lock("h", "b", List.of(Q0), null, 0).held()).containsExactly(Q0);
    }

    @Test
    void aLockExpiresSixtySecondsAfterItsLastRenewal() {
        locks.lock("g", "a", List.of(Q0), null, 0);
        locks.lock("g", "a", List.of(Q0), null, 30_000);
        assertThat(locks.lock("g", "b", List.of(Q0), null, 90_000).held()).isEmpty();
        assertThat(locks.lock("g", "b", List.of(Q0), null, 90_001).held()).containsExactly(Q0);
    }

    @Test
    void onlyTheHolderUnlocks() {
        locks.lock("g", "a", List.of(Q0), null, 0);
        locks.unlock("g", "b", List.of(Q0), null, 0);
        assertThat(locks.lock("g", "b", List.of(Q0), null, 1).held()).isEmpty();
        locks.unlock("g", "a", List.of(Q0), null, 0);
        assertThat(locks.lock("g", "b", List.of(Q0), null, 1).held()).containsExactly(Q0);
    }

    @Test
    void sweepingForgetsExpiredLocksOnly() {
        locks.lock("g", "a", List.of(Q0), null, 0);
        locks.lock("g", "a", List.of(Q1), null, 50_000);
        locks.sweep(70_000);
        assertThat(locks.anyLocked("g", 70_000)).isTrue();
        locks.sweep(120_000);
        assertThat(locks.anyLocked("g", 70_000)).isFalse();
    }

    @Test
    void atTheLimitWhatIsHeldIsRenewedAndNothingElseIsLocked() {
        QueueLocks two = new QueueLocks(2, Set.of(), LONG_AGO);
        two.lock("g", "a", List.of(Q0), null, 0);
        two.lock("h", "b", List.of(Q0), null, 0);

        QueueLocks.Granted more = two.lock("g", "a", List.of(Q0, Q1), null, 1);
        assertThat(more.held()).containsExactly(Q0);
        assertThat(more.beyondLimit()).isEqualTo(1);
        assertThat(two.lock("g", "c", List.of(Q0), null, 1)).isEqualTo(new QueueLocks.Granted(Set.of(), 0, 0, true));
    }

    @Test
    void aLockThatIsGivenUpOrExpiredMakesRoom() {
        QueueLocks two = new QueueLocks(2, Set.of(), LONG_AGO);
        two.lock("g", "a", List.of(Q0, Q1), null, 0);
        two.unlock("g", "a", List.of(Q0), null, 0);
        two.unlock("g", "a", List.of(Q0), null, 0);
        assertThat(two.count()).isEqualTo(1);
        assertThat(two.lock("h", "b", List.of(Q0), null, 50_000).held()).containsExactly(Q0);
        two.sweep(70_000);
        assertThat(two.count()).isEqualTo(1);
        assertThat(two.lock("h", "b", List.of(Q1), null, 70_000).held()).containsExactly(Q1);
        two.sweep(500_000);
        assertThat(two.count()).isZero();
    }

    @Test
    void onlyALockThatSomebodyElseWasRefusedIsWanted() {
        locks.lock("g", "a", List.of(Q0, Q1), null, 0);
        assertThat(locks.lock("g", "b", List.of(Q1), null, 1).isFirstWish()).isTrue();
        assertThat(locks.lock("g", "b", List.of(Q1), null, 2).isFirstWish()).isFalse();
        assertThat(locks.unlock("g", "a", List.of(Q0), null, 0)).isFalse();
        locks.lock("g", "a", List.of(Q1), null, 3);
        assertThat(locks.unlock("g", "a", List.of(Q1), null, 0))
                .as("renewed meanwhile")
                .isTrue();
        assertThat(locks.isAnyWanted()).as("not known before the next look").isTrue();
        assertThat(locks.expireWanted(4)).isEmpty();
        assertThat(locks.isAnyWanted()).isFalse();
    }

    @Test
    void aWantedLockThatExpiresIsFoundOnce() {
        locks.lock("g", "a", List.of(Q0), null, 0);
        locks.lock("h", "a", List.of(Q0), null, 0);
        locks.lock("g", "b", List.of(Q0), null, 1_000);
        assertThat(locks.expireWanted(60_000)).isEmpty();
        locks.sweep(60_001);
        assertThat(locks.count()).as("the sweep leaves it to be found").isEqualTo(1);
        assertThat(locks.expireWanted(60_001)).containsExactly("g");
        assertThat(locks.expireWanted(60_002)).isEmpty();
        assertThat(locks.isAnyWanted()).isFalse();
        assertThat(locks.count()).isZero();
    }

    @Test
    void whoTakesAnExpiredLockIsNotThoughtToHoldWhatItWanted() {
        locks.lock("g", "a", List.of(Q0), null, 0);
        locks.lock("g", "b", List.of(Q0), null, 1_000);
        assertThat(locks.lock("g", "b", List.of(Q0), null, 60_001).held()).containsExactly(Q0);
        assertThat(locks.unlock("g", "b", List.of(Q0), null, 0)).isFalse();
    }

    @Test
    void whatIsGoneTakesItsLocksWithIt() {
        MessageQueue other = new MessageQueue("U", "b", 0);
        locks.lock("g", "a", List.of(Q0, other), null, 0);
        locks.lock("h", "a", List.of(Q0), null, 0);
        locks.forgetTopic("T");
        assertThat(holder("g", Q0, 1)).isNull();
        assertThat(holder("h", Q0, 1)).isNull();
        assertThat(holder("g", other, 1)).isEqualTo("a");
        locks.forgetGroup("g");
        assertThat(holder("g", other, 1)).isNull();
        assertThat(locks.count()).isZero();
    }

    @Test
    void anExpiredLockHasNoHolder() {
        locks.lock("g", "a", List.of(Q0), null, 0);
        assertThat(holder("g", Q0, 60_000)).isEqualTo("a");
        assertThat(holder("g", Q0, 60_001)).isNull();
        assertThat(holder("g", Q1, 0)).isNull();
    }
}
