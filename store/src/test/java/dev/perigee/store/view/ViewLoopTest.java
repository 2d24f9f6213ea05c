package dev.perigee.store.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.loop.Clock;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ViewLoopTest {
    private static final int PASS = 10;

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final TestLog log = new TestLog(disk, 64 * 1024);
    private final CountingView view = new CountingView("counting");
    private final Queue<PacedTask> preparer = new ArrayDeque<>();
    private final List<Long> dutyCalls = new ArrayList<>();
    private boolean isOpen = true;
    private boolean mayAppend = true;
    private boolean everywhere;
    private long dutyDeadlineMs = Long.MAX_VALUE;
    private int wakes;
    private final Duty duty = new Duty() {
        @Override
        public int doWork(long nowMs) {
            dutyCalls.add(nowMs);
            return 0;
        }

        @Override
        public long nextDeadlineMs() {
            return dutyDeadlineMs;
        }

        @Override
        public boolean runsEverywhere() {
            return everywhere;
        }
    };
    private final ViewLoop loop = new ViewLoop(
            new ViewSeams(log.log(), Clock.system(), disk, preparer::add, () -> isOpen, () -> mayAppend),
            new ViewConfig(PASS, 1 << 30, 60_000, 4),
            List.of(view),
            List.of(duty));

    @BeforeEach
    void open() throws IOException {
        loop.onWake(() -> wakes++);
        loop.open();
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            log.append("orders", 0);
        }
    }

    @Test
    void entriesComeOnceInOrderInBoundedPasses() {
        append(25);
        assertThat(loop.doWork(1)).isEqualTo(PASS);
        assertThat(view.offsets).hasSize(PASS).isSorted().doesNotHaveDuplicates();
        assertThat(loop.doWork(2)).isEqualTo(PASS);
        assertThat(loop.doWork(3)).isEqualTo(5);
        assertThat(loop.doWork(4)).isZero();
        assertThat(view.offsets).hasSize(25).isSorted().doesNotHaveDuplicates();
        assertThat(view.passes).isEqualTo(3);
        assertThat(loop.appliedOffset()).isEqualTo(log.end());
    }

    @Test
    void aShortPassAppliesAFewMessagesAndNothingElse() {
        append(3);
        assertThat(loop.doShortWork(1)).isTrue();
        assertThat(view.offsets).hasSize(3);
        assertThat(view.passes).isEqualTo(1);
        assertThat(loop.appliedOffset()).isEqualTo(log.end());
        assertThat(dutyCalls).isEmpty();
    }

    @Test
    void aShortPassLeavesManyMessagesToTheLoopsOwnThread() {
        append(17);
        assertThat(loop.doShortWork(1)).isFalse();
        assertThat(view.offsets).hasSize(16);
    }

    @Test
    void aShortPassStopsBeforeWhatMayWaitForTheDisk() {
        append(1);
        log.append(SystemTopic.SCHEDULE, 0);
        log.append(log.next("orders", 0).property("__TIMER#", "1:2:3"));
        assertThat(loop.doShortWork(1)).isFalse();
        assertThat(view.offsets).hasSize(1);
        assertThat(loop.appliedOffset()).isBetween(1L, log.end() - 1);
        assertThat(loop.doShortWork(1)).isFalse();
        assertThat(view.offsets).hasSize(1);
        loop.doWork(2);
        assertThat(view.offsets).hasSize(3).isSorted().doesNotHaveDuplicates();
        log.append(log.next("orders", 0).property("__TIMER#", "1:2:3"));
        assertThat(loop.doShortWork(3)).isFalse();
        assertThat(view.offsets).hasSize(3);
        loop.doWork(4);
        append(1);
        assertThat(loop.doShortWork(5)).isTrue();
        assertThat(view.offsets).hasSize(5);
    }

    @Test
    void aShortPassStopsBeforeAMessageThatClosesAHalf() {
        append(1);
        log.append(log.next("orders", 0).property("__HALF#", "1:2:3:c"));
        assertThat(loop.doShortWork(1)).isFalse();
        assertThat(view.offsets).hasSize(1);
        loop.doWork(2);
        assertThat(view.offsets).hasSize(2);
    }

    @Test
    void aShortPassRunsNoWaiters() {
        append(1);
        List<String> ran = new ArrayList<>();
        loop.whenApplied(log.end(), () -> ran.add("waiter"));
        assertThat(loop.doShortWork(1)).isFalse();
        assertThat(ran).isEmpty();
        loop.doWork(2);
        assertThat(ran).containsExactly("waiter");
    }

    @Test
    void idleLoopHasNoDeadline() {
        loop.doWork(1);
        assertThat(loop.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
        append(1);
        loop.doWork(5);
        assertThat(loop.nextDeadlineMs()).as("a checkpoint becomes due").isEqualTo(60_005);
    }

    @Test
    void waiterRunsOnceItsOffsetIsAppliedAndNotBefore() {
        append(25);
        List<String> ran = new ArrayList<>();
        loop.whenApplied(log.end(), () -> ran.add("end"));
        loop.whenApplied(view.offsets.size() + 1L, () -> ran.add("start"));
        assertThat(wakes).isEqualTo(2);
        loop.doWork(1);
        assertThat(ran).containsExactly("start");
        loop.doWork(2);
        assertThat(ran).hasSize(1);
        loop.doWork(3);
        assertThat(ran).containsExactly("start", "end");
        loop.whenApplied(log.end(), () -> ran.add("at once"));
        assertThat(ran).endsWith("at once");
        assertThat(wakes).isEqualTo(2);
        assertThat(loop.waiting()).isZero();
    }

    @Test
    void waitersBeyondTheLimitAreRefusedUntilOthersRan() {
        append(1);
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            assertThat(loop.whenApplied(log.end(), () -> ran.add(number))).isTrue();
        }
        assertThat(loop.whenApplied(log.end(), () -> ran.add(99))).isFalse();
        loop.doWork(1);
        assertThat(ran).containsExactly(0, 1, 2, 3);
        assertThat(loop.whenApplied(log.end() + 1, () -> ran.add(4))).isTrue();
    }

    @Test
    void blankAtTheEndOfASegmentIsApplied() {
        append(1);
        log.append(log.next("orders", 0).body(new byte[60_000]));
        log.append(log.next("orders", 0).body(new byte[60_000]));
        loop.doWork(1);
        assertThat(view.offsets).hasSize(3);
        assertThat(loop.appliedOffset()).isEqualTo(log.end());
    }

    @Test
    void dutiesActOnlyWhileThisNodeMayAppend() {
        dutyDeadlineMs = 77;
        loop.doWork(1);
        assertThat(dutyCalls).containsExactly(1L);
        assertThat(loop.nextDeadlineMs()).isEqualTo(77);
        mayAppend = false;
        loop.doWork(2);
        assertThat(dutyCalls).hasSize(1);
        assertThat(loop.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aDutyThatAppendsNothingRunsWhereTheNodeFollowsAnotherUntilTheStoreIsClosed() {
        everywhere = true;
        mayAppend = false;
        dutyDeadlineMs = 77;
        loop.doWork(1);
        assertThat(dutyCalls).containsExactly(1L);
        assertThat(loop.nextDeadlineMs()).isEqualTo(77);
        isOpen = false;
        loop.doWork(2);
        assertThat(dutyCalls).hasSize(1);
        assertThat(loop.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void viewsAreToldOfATrimWhenItsFactIsApplied() {
        append(3);
        log.append(new LogTrimmed(0));
        loop.doWork(1);
        assertThat(view.offsets).hasSize(4);
        assertThat(view.trims).containsExactly(0L);
    }

    @Test
    void twoViewsOfOneNameAreRefused() {
        ViewSeams seams = new ViewSeams(log.log(), Clock.system(), disk, preparer::add, () -> true, () -> true);
        assertThatThrownBy(() ->
                        new ViewLoop(seams, ViewConfig.DEFAULT, List.of(view, new CountingView("counting")), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("counting");
    }
}
