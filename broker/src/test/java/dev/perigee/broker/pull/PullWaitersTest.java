package dev.perigee.broker.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PullWaitersTest {
    private final List<Waiter.Reason> woken = new ArrayList<>();
    private Runnable whileParking = () -> {};
    private final PullWaiters waiters = new PullWaiters(() -> whileParking.run());

    @Test
    void afterTheCloseNobodyParksAndNobodyIsCounted() {
        assertThat(waiters.park(waiter())).isTrue();
        waiters.close();
        assertThat(woken).containsExactly(Waiter.Reason.DEADLINE);
        assertThat(waiters.park(waiter())).isFalse();
        assertThat(waiters.count()).isZero();
    }

    @Test
    void aWaiterThatParksDuringTheCloseIsWokenOnce() {
        whileParking = waiters::close;
        assertThat(waiters.park(waiter())).isTrue();
        assertThat(woken).containsExactly(Waiter.Reason.DEADLINE);
        assertThat(waiters.count()).isZero();
    }

    private Waiter waiter() {
        return new Waiter(new QueuePlace("T", 0, 0), TagFilter.ALL, 1_000, null, woken::add);
    }
}
