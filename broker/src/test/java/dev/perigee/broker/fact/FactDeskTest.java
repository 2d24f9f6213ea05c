package dev.perigee.broker.fact;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FactDeskTest {
    private record Append(Fact fact, FactListener listener) {}

    private final ArrayDeque<Append> appends = new ArrayDeque<>();
    private final ArrayDeque<Runnable> applied = new ArrayDeque<>();
    private final List<String> outcomes = new ArrayList<>();
    private final FactDesk desk =
            new FactDesk((fact, listener) -> appends.add(new Append(fact, listener)), log(), () -> {});

    private AppliedLog log() {
        return new AppliedLog() {
            @Override
            public long confirmOffset() {
                return 0;
            }

            @Override
            public long appliedOffset() {
                return 0;
            }

            @Override
            public boolean whenApplied(long offset, Runnable task) {
                return applied.add(task);
            }
        };
    }

    private void decide(String key, boolean needed) {
        desk.submit(key, () -> needed ? new TopicDeleted(key) : null, result -> outcomes.add(key + " " + result));
    }

    private void work() {
        while (desk.doWork(0) > 0) {
            // until nothing is left
        }
    }

    private void append(AppendResult result) {
        appends.remove().listener().completed(result, 100);
        work();
    }

    private void apply() {
        applied.remove().run();
        work();
    }

    @Test
    void aDecisionIsDoneWhenItsFactIsApplied() {
        decide("a", true);
        work();
        assertThat(desk.isClaimed("a")).isTrue();
        append(AppendResult.APPENDED);
        assertThat(outcomes).isEmpty();
        apply();
        assertThat(outcomes).containsExactly("a APPENDED");
        assertThat(desk.isClaimed("a")).isFalse();
    }

    @Test
    void decisionsOnOneKeyWaitForEachOther() {
        decide("a", true);
        decide("a", false);
        decide("b", true);
        work();
        assertThat(appends).hasSize(2);
        append(AppendResult.APPENDED);
        assertThat(outcomes).isEmpty();
        apply();
        assertThat(outcomes).containsExactly("a APPENDED", "a APPENDED");
    }

    @Test
    void aWaitingDecisionThatNeedsAFactClaimsTheKeyAgain() {
        decide("a", true);
        decide("a", true);
        decide("a", false);
        work();
        append(AppendResult.APPENDED);
        apply();
        assertThat(desk.isClaimed("a")).isTrue();
        append(AppendResult.APPENDED);
        apply();
        assertThat(outcomes).hasSize(3);
        assertThat(desk.isAnyClaimed(key -> true)).isFalse();
    }

    @Test
    void aFailedAppendFreesTheKey() {
        decide("a", true);
        decide("a", false);
        work();
        append(AppendResult.DISK_FULL);
        assertThat(outcomes).containsExactly("a DISK_FULL", "a APPENDED");
    }

    @Test
    void theLineOfOneKeyIsBounded() {
        for (int i = 0; i < FactDesk.MAX_WAITING_PER_KEY + 2; i++) {
            decide("a", true);
        }
        work();
        assertThat(outcomes).containsExactly("a BUSY");
    }

    @Test
    void aListenerThatFailsKeepsNobodyElseFromHisTurn() {
        desk.submit("a", () -> new TopicDeleted("a"), result -> {
            throw new IllegalStateException("on purpose");
        });
        decide("a", false);
        work();
        append(AppendResult.APPENDED);
        apply();
        assertThat(outcomes).containsExactly("a APPENDED");
        assertThat(desk.isAnyClaimed(key -> true)).isFalse();
    }

    @Test
    void aFactThatCannotBeWrittenFreesTheKey() {
        FactDesk failing = new FactDesk(
                (fact, listener) -> {
                    throw new IllegalStateException("on purpose");
                },
                log(),
                () -> {});
        failing.submit("a", () -> new TopicDeleted("a"), result -> outcomes.add("a " + result));
        while (failing.doWork(0) > 0) {
            // until nothing is left
        }
        assertThat(outcomes).containsExactly("a OUTCOME_UNKNOWN");
        assertThat(failing.isAnyClaimed(key -> true)).isFalse();
    }

    @Test
    void decisionsBeyondTheLimitAreRefusedAndWakingQueuesNothing() {
        for (int i = 0; i < FactDesk.MAX_WAITING + 1; i++) {
            decide("key" + i, false);
            desk.wake();
        }
        assertThat(outcomes).containsExactly("key" + FactDesk.MAX_WAITING + " BUSY");
        int tasks = 0;
        for (int done = desk.doWork(0); done > 0; done = desk.doWork(0)) {
            tasks += done;
        }
        assertThat(tasks).isEqualTo(FactDesk.MAX_WAITING);
    }
}
