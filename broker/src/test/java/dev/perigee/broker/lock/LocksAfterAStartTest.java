package dev.perigee.broker.lock;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who gets which lock of a broker that has just started, while members may hold locks from before (ADR 0023). */
class LocksAfterAStartTest {
    private static final MessageQueue Q0 = new MessageQueue("T", "b", 0);
    private static final MessageQueue Q1 = new MessageQueue("T", "b", 1);
    private static final Set<MessageQueue> NONE = Set.of();
    private static final long STARTED_MS = 1_000;
    private static final long LAST_MS = STARTED_MS + QueueLocks.LIFE_MS;

    private final QueueLocks locks = new QueueLocks(Set.of("g"), STARTED_MS);

    private Set<MessageQueue> lock(String clientId, Set<MessageQueue> alreadyHeld, long nowMs) {
        return locks.lock("g", clientId, List.of(Q0, Q1), alreadyHeld, nowMs).held();
    }

    @Test
    void whoHeldALockBeforeTheStartKeepsItAndNobodyElseGetsIt() {
        assertThat(locks.lock("g", "b", List.of(Q0), NONE, STARTED_MS))
                .isEqualTo(new QueueLocks.Granted(NONE, 0, 1, false));
        assertThat(lock("a", Set.of(Q0), STARTED_MS + 1)).containsExactly(Q0);
        assertThat(lock("b", NONE, STARTED_MS + 2)).isEmpty();
        assertThat(lock("a", Set.of(Q0), LAST_MS)).containsExactly(Q0);
    }

    @Test
    void whatNobodyAsksForIsFreeSixtySecondsAfterTheStart() {
        assertThat(lock("b", NONE, LAST_MS)).isEmpty();
        assertThat(lock("b", NONE, LAST_MS + 1)).containsExactly(Q0, Q1);
    }

    @Test
    void whatItsHolderGivesUpIsFreeAtOnce() {
        lock("a", Set.of(Q0), STARTED_MS);
        locks.unlock("g", "a", List.of(Q0), Set.of(Q0), STARTED_MS + 1);
        locks.sweep(STARTED_MS + 1);
        locks.expireWanted(STARTED_MS + 1);
        assertThat(lock("b", NONE, STARTED_MS + 2)).containsExactly(Q0);
        assertThat(lock("c", NONE, STARTED_MS + 3)).as("it is held again").isEmpty();
    }

    @Test
    void aHolderThatGivesUpBeforeItHasAskedAgainIsBelieved() {
        locks.unlock("g", "a", List.of(Q0, Q1), Set.of(Q1), STARTED_MS);
        assertThat(lock("b", NONE, STARTED_MS + 1)).containsExactly(Q1);
    }

    @Test
    void whoDoesNotSayWhatItHoldsGetsWhatIsNotLockedYet() {
        assertThat(lock("b", NONE, STARTED_MS)).isEmpty();
        assertThat(locks.lock("g", "stock", List.of(Q0), null, STARTED_MS + 1).held())
                .containsExactly(Q0);
        assertThat(lock("a", Set.of(Q0), STARTED_MS + 2)).as("too late").isEmpty();
        locks.unlock("g", "stock", List.of(Q0), null, STARTED_MS + 3);
        assertThat(lock("b", NONE, STARTED_MS + 4)).containsExactly(Q0);
    }

    @Test
    void aGroupThatWasMadeSinceHasNoLocksFromBefore() {
        assertThat(locks.lock("new", "a", List.of(Q0), NONE, STARTED_MS).held()).containsExactly(Q0);
    }

    @Test
    void whatWasGivenUpIsForgottenWhenItNeedNotBeKnownAnyMore() {
        lock("a", Set.of(Q0), STARTED_MS);
        locks.unlock("g", "a", List.of(Q0), Set.of(Q0), STARTED_MS + 1);
        assertThat(locks.count()).isEqualTo(1);
        assertThat(locks.holder("g", Q0.topic(), Q0.brokerName(), 0, STARTED_MS + 1))
                .isNull();
        assertThat(locks.anyLocked("g", STARTED_MS + 1)).isFalse();
        locks.sweep(LAST_MS + 1);
        assertThat(locks.count()).isZero();
    }
}
