package dev.perigee.client.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.fake.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class ClientLoopTest {
    private static FailureSite where() {
        return new FailureSite("-", "T", 0, 77);
    }

    private final ManualClock clock = new ManualClock();
    private final ClientLoop loop = new ClientLoop("loop", clock);
    private final List<String> ran = new ArrayList<>();

    private void work() {
        while (loop.doWork(clock.monotonicMs()) > 0) {
            // until nothing is left to do now
        }
    }

    @Test
    void runsTasksInTheOrderTheyWereHandedOver() {
        loop.execute(() -> ran.add("a"));
        loop.execute(() -> ran.add("b"));
        work();
        assertThat(ran).containsExactly("a", "b");
    }

    @Test
    void runsTimersWhenTheyAreDueAndNotBefore() {
        loop.after(100, () -> ran.add("late"));
        loop.after(50, () -> ran.add("early"));
        work();
        assertThat(loop.nextDeadlineMs()).isEqualTo(clock.monotonicMs() + 50);
        clock.advanceMs(99);
        work();
        assertThat(ran).containsExactly("early");
        clock.advanceMs(1);
        work();
        assertThat(ran).containsExactly("early", "late");
    }

    @Test
    void repeatsUntilCancelled() {
        Timer timer = loop.every(10, 10, () -> ran.add("tick"));
        work();
        for (int i = 0; i < 3; i++) {
            clock.advanceMs(10);
            work();
        }
        timer.cancel();
        clock.advanceMs(100);
        work();
        assertThat(ran).hasSize(3);
    }

    @Test
    void failingTaskDoesNotStopTheOthers() {
        loop.execute(() -> {
            throw new IllegalStateException("expected by the test");
        });
        loop.execute(() -> ran.add("next"));
        work();
        assertThat(ran).containsExactly("next");
    }

    @Test
    void aTaskThatEndsWithAnErrorStopsNeitherTasksNorTimers() {
        loop.execute(() -> {
            throw new NoClassDefFoundError("expected by the test");
        });
        loop.execute(() -> ran.add("next"));
        loop.after(10, () -> ran.add("timer"));
        CompletableFuture<String> asked = loop.ask(
                () -> {
                    throw new NoClassDefFoundError("expected by the test");
                },
                ClientLoopTest::where);
        work();
        clock.advanceMs(10);
        work();
        assertThat(ran).containsExactly("next", "timer");
        assertThat(Failures.unwrap(catchThrowable(asked::join))).isInstanceOf(NoClassDefFoundError.class);
    }

    @Test
    void whoeverWaitsIsToldThatTheLoopStops() {
        loop.after(100, () -> ran.add("task"), () -> ran.add("abandoned"));
        CompletableFuture<String> unanswered = loop.ask(CompletableFuture::new, ClientLoopTest::where);
        CompletableFuture<String> answered =
                loop.ask(() -> CompletableFuture.completedFuture("yes"), ClientLoopTest::where);
        work();
        loop.onStop();
        loop.after(100, () -> ran.add("task"), () -> ran.add("too late"));
        CompletableFuture<String> afterwards =
                loop.ask(() -> CompletableFuture.completedFuture("yes"), ClientLoopTest::where);

        assertThat(ran).containsExactly("abandoned", "too late");
        assertThat(answered).isCompletedWithValue("yes");
        for (CompletableFuture<String> future : List.of(unanswered, afterwards)) {
            assertThat(Failures.unwrap(catchThrowable(future::join)))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining(where().toString());
        }
    }

    @Test
    void aQuestionThatThrowsFailsItsFuture() {
        CompletableFuture<String> future = loop.ask(
                () -> {
                    throw new IllegalStateException("expected by the test");
                },
                ClientLoopTest::where);
        work();
        assertThat(Failures.unwrap(catchThrowable(future::join))).hasMessage("expected by the test");
    }
}
