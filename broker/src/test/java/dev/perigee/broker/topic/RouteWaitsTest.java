package dev.perigee.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RouteWaitsTest {
    private final AtomicInteger wakes = new AtomicInteger();
    private final List<String> given = new ArrayList<>();

    @Test
    void answersAreGivenAsTheirChangesAreKnown() {
        RouteWaits waits = new RouteWaits(10, wakes::incrementAndGet);
        waits.whenKnown(() -> given.add("a"));
        waits.begin(5, 0);
        waits.whenKnown(() -> given.add("b"));
        waits.begin(7, 10);
        assertThat(wakes).hasValue(2);

        assertThat(waits.release(4)).isZero();
        assertThat(waits.release(6)).isEqualTo(1);
        assertThat(given).containsExactly("a");
        assertThat(waits.nextDeadlineMs()).isEqualTo(10 + RouteWaits.MAX_WAIT_MS);
        assertThat(waits.release(7)).isEqualTo(1);
        assertThat(given).containsExactly("a", "b");
        assertThat(waits.nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
        assertThat(waits.count()).isZero();
    }

    @Test
    void oneAnswerMoreThanMayWaitIsGivenAtOnce() {
        RouteWaits waits = new RouteWaits(2, wakes::incrementAndGet);
        for (String name : List.of("a", "b", "c")) {
            waits.whenKnown(() -> given.add(name));
        }
        assertThat(given).containsExactly("c");
        waits.begin(1, 0);
        waits.release(1);
        waits.whenKnown(() -> given.add("d"));
        assertThat(given).as("there is room again").containsExactly("c", "a", "b");
    }

    @Test
    void nothingWaitsWhereThereIsNoNameServer() {
        new RouteWaits(0, wakes::incrementAndGet).whenKnown(() -> given.add("a"));
        assertThat(given).containsExactly("a");
        assertThat(wakes).hasValue(0);
    }

    @Test
    void theLoopIsWokenForAnswersOnlyWhereSomeWaitUnlessItIsInAnyCase() {
        RouteWaits waits = new RouteWaits(10, wakes::incrementAndGet);
        waits.wake();
        assertThat(wakes).hasValue(0);
        waits.wakeAnyhow();
        assertThat(wakes).hasValue(1);
    }

    @Test
    void theLatestChangeThatWasWaitedForTooLongIsOverdue() {
        RouteWaits waits = new RouteWaits(10, wakes::incrementAndGet);
        waits.whenKnown(() -> {});
        waits.begin(5, 0);
        waits.whenKnown(() -> {});
        waits.begin(6, 1);
        waits.whenKnown(() -> {});
        waits.begin(7, 2);
        assertThat(waits.overdue(RouteWaits.MAX_WAIT_MS - 1)).isEqualTo(-1);
        assertThat(waits.overdue(RouteWaits.MAX_WAIT_MS + 1)).isEqualTo(6);
    }
}
