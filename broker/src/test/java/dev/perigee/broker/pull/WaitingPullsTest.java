package dev.perigee.broker.pull;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.MemoryConnections;
import dev.perigee.broker.filter.TagFilter;
import dev.perigee.remoting.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What waiting pulls hold is limited, and goes with their connections. */
final class WaitingPullsTest {
    private static final long LIMIT_BYTES = 1_000;

    private final PullWaiters waiters = new PullWaiters(() -> {}, LIMIT_BYTES);
    private final List<Waiter.Reason> woken = new ArrayList<>();
    private final MemoryConnections connections;

    WaitingPullsTest() throws Exception {
        connections = new MemoryConnections(2);
    }

    private Waiter waiter(Connection connection, long textBytes) {
        return new Waiter(
                new QueuePlace("g", "T", 0, 0), TagFilter.ALL, Long.MAX_VALUE - 1, connection, textBytes, woken::add);
    }

    @Test
    void onePullMoreThanFitsIntoTheLimitOfBytesDoesNotWait() {
        Waiter first = waiter(connections.get(0), LIMIT_BYTES - 10);
        assertThat(waiters.park(first)).isEqualTo(PullWaiters.Parking.PARKED);
        assertThat(waiters.park(waiter(connections.get(0), 11))).isEqualTo(PullWaiters.Parking.FULL);
        assertThat(waiters.park(waiter(connections.get(0), 10))).isEqualTo(PullWaiters.Parking.PARKED);
        assertThat(waiters.count()).isEqualTo(2);
        assertThat(woken).isEmpty();

        assertThat(waiters.claim(first)).isTrue();
        assertThat(waiters.park(waiter(connections.get(0), 500))).isEqualTo(PullWaiters.Parking.PARKED);
        assertThat(waiters.heldBytes()).isEqualTo(510);
    }

    @Test
    void onePullMoreThanMayWaitDoesNot() {
        for (int i = 0; i < PullWaiters.MAX_WAITING; i++) {
            assertThat(waiters.park(waiter(connections.get(0), 0))).isEqualTo(PullWaiters.Parking.PARKED);
        }
        assertThat(waiters.park(waiter(connections.get(1), 0))).isEqualTo(PullWaiters.Parking.FULL);
        assertThat(waiters.count()).isEqualTo(PullWaiters.MAX_WAITING);
        connections.close(0);
        assertThat(waiters.park(waiter(connections.get(1), 0))).isEqualTo(PullWaiters.Parking.PARKED);
    }

    @Test
    void tagsCountToo() {
        TagFilter tags = TagFilter.of(IntStream.range(0, 126).boxed().toList());
        Waiter waiter =
                new Waiter(new QueuePlace("g", "T", 0, 0), tags, Long.MAX_VALUE - 1, connections.get(0), 0, woken::add);
        assertThat(waiter.heldBytes()).isEqualTo(1_008);
        assertThat(waiters.park(waiter)).isEqualTo(PullWaiters.Parking.FULL);
    }

    @Test
    void pullsOfAClosedConnectionAreLetGoAtOnceAndOthersWaitOn() {
        assertThat(waiters.park(waiter(connections.get(0), 300))).isEqualTo(PullWaiters.Parking.PARKED);
        assertThat(waiters.park(waiter(connections.get(0), 300))).isEqualTo(PullWaiters.Parking.PARKED);
        assertThat(waiters.park(waiter(connections.get(1), 300))).isEqualTo(PullWaiters.Parking.PARKED);

        connections.close(0);
        assertThat(woken).containsExactly(Waiter.Reason.GONE, Waiter.Reason.GONE);
        assertThat(waiters.count()).isEqualTo(1);
        assertThat(waiters.heldBytes()).isEqualTo(300);
    }

    @Test
    void aPullThatParksAfterItsConnectionClosedIsLetGo() {
        connections.close(0);
        assertThat(waiters.park(waiter(connections.get(0), 300))).isEqualTo(PullWaiters.Parking.PARKED);
        assertThat(woken).containsExactly(Waiter.Reason.GONE);
        assertThat(waiters.count()).isZero();
        assertThat(waiters.heldBytes()).isZero();
    }

    @Test
    void whoIsWokenOnAClosedConnectionHearsThatItIsGone() {
        Waiter waiter = waiter(connections.get(0), 0);
        connections.get(0).close("on purpose"); // and nobody has heard of it yet
        waiter.wake(Waiter.Reason.ARRIVAL);
        assertThat(woken).containsExactly(Waiter.Reason.GONE);
    }
}
