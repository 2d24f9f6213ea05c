package dev.perigee.client.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.ManualClock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ClientLoopTest {
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
}
