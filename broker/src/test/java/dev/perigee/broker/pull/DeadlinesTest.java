package dev.perigee.broker.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.MemoryConnections;
import dev.perigee.broker.filter.TagFilter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Many pulls wait, and each is woken in the first pass at or after its deadline, not before and not with all others at once. */
final class DeadlinesTest {
    private final MemoryConnections connections;
    private final List<Long> woken = new ArrayList<>();

    DeadlinesTest() throws Exception {
        connections = new MemoryConnections(1);
    }

    private Waiter waiter(String group, String topic, long deadlineMs) {
        return new Waiter(
                new QueuePlace(group, topic, 0, 0),
                TagFilter.ALL,
                deadlineMs,
                connections.get(0),
                0,
                reason -> woken.add(deadlineMs));
    }

    @Test
    void eachIsWokenAtItsDeadlineExactly() {
        PullWaiters waiters = new PullWaiters(() -> {});
        for (long deadlineMs : new long[] {150, 99, 100, 199, 15_000, 101}) {
            waiters.park(waiter("g", "T", deadlineMs));
        }
        for (long expected : new long[] {99, 100, 101, 150, 199, 15_000}) {
            assertThat(waiters.nextDeadlineMs()).isEqualTo(expected);
            assertThat(waiters.doWork(expected - 1)).isZero();
            assertThat(waiters.doWork(expected)).isEqualTo(1);
            assertThat(woken).last().isEqualTo(expected);
        }
        assertThat(waiters.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
        assertThat(waiters.count()).isZero();
    }

    @Test
    void onePassWakesSoManyAndTheNextTheRest() {
        PullWaiters waiters = new PullWaiters(() -> {});
        for (int i = 0; i < 2_500; i++) {
            waiters.park(waiter("g", "T" + i, 1_000 + i % 300));
        }
        assertThat(waiters.doWork(2_000)).isEqualTo(PullWaiters.MAX_WAKES);
        assertThat(waiters.nextDeadlineMs()).isLessThanOrEqualTo(2_000);
        assertThat(waiters.doWork(2_000)).isEqualTo(PullWaiters.MAX_WAKES);
        assertThat(waiters.doWork(2_000)).isEqualTo(500);
        assertThat(waiters.doWork(2_000)).isZero();
        assertThat(waiters.count()).isZero();
    }

    @Test
    void whoIsWokenEarlierIsNotWokenAgain() {
        PullWaiters waiters = new PullWaiters(() -> {});
        waiters.park(waiter("g", "T", 100));
        waiters.park(waiter("g", "U", 120));
        waiters.wakeTopic("T");
        assertThat(woken).containsExactly(100L);
        assertThat(waiters.doWork(200)).isEqualTo(1);
        assertThat(woken).containsExactly(100L, 120L);
    }

    @Test
    void aGroupIsWokenAlone() {
        PullWaiters waiters = new PullWaiters(() -> {});
        waiters.park(waiter("g", "T", 100));
        waiters.park(waiter("h", "T", 120));
        waiters.wakeGroup("g");
        assertThat(woken).containsExactly(100L);
        assertThat(waiters.count()).isEqualTo(1);
    }
}
