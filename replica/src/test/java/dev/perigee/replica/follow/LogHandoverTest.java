package dev.perigee.replica.follow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.receive.ReceiveInbox;
import dev.perigee.store.receive.ReceiveRefusedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** When an event loop takes in itself what came in one of its turns, and when it wakes the log loop. */
final class LogHandoverTest {
    private static final class Silent implements LogHandover.Watcher {
        @Override
        public void refused(ReceiveRefusedException why) {
            throw new AssertionError(why);
        }

        @Override
        public void roomAgain() {
            // nothing is turned away here
        }
    }

    private final List<String> log = new ArrayList<>();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final ReceiveInbox inbox =
            new ReceiveInbox(ReceiveInbox.WINDOW_BYTES, () -> log.add("wake"), () -> log.add("run"));
    private final LogHandover handover = new LogHandover(inbox, tasks::add, 1, 1, new AtomicInteger(), new Silent());

    private void offer(int times, int bytes) {
        for (int i = 0; i < times; i++) {
            assertThat(handover.offer(new LogUnits(0, ByteBuffer.allocate(bytes)), 0))
                    .isTrue();
        }
    }

    private void endTurn() {
        while (!tasks.isEmpty()) {
            tasks.removeFirst().run();
        }
    }

    @Test
    void aLittleIsTakenInByTheEventLoopOnceAtTheEndOfItsTurn() {
        offer(LogHandover.ITEMS_PER_TURN, 100);
        assertThat(log).isEmpty();
        endTurn();
        assertThat(log).containsExactly("run");
        offer(1, 0);
        endTurn();
        assertThat(log).containsExactly("run", "run");
    }

    @Test
    void manyItemsWakeTheLogLoopAtOnce() {
        offer(LogHandover.ITEMS_PER_TURN + 3, 100);
        assertThat(log).containsExactly("wake");
        endTurn();
        assertThat(log).containsExactly("wake", "wake");
        offer(1, 100);
        endTurn();
        assertThat(log).as("the next turn counts anew").endsWith("run");
    }

    @Test
    void manyBytesWakeTheLogLoop() {
        offer(1, LogHandover.BYTES_PER_TURN);
        offer(1, 1);
        assertThat(log).containsExactly("wake");
        offer(1, LogHandover.BYTES_PER_TURN);
        assertThat(log).containsExactly("wake");
        endTurn();
        assertThat(log).containsExactly("wake", "wake");
    }

    @Test
    void oneLargeItemIsLeftToTheLogLoop() {
        offer(1, LogHandover.BYTES_PER_TURN + 1);
        endTurn();
        assertThat(log).containsExactly("wake");
    }

    @Test
    void anEventLoopThatStopsHandsOverAllTheSame() {
        LogHandover stopping = new LogHandover(
                inbox,
                task -> {
                    throw new RejectedExecutionException();
                },
                1,
                1,
                new AtomicInteger(),
                new Silent());
        assertThat(stopping.offer(new LogUnits(0, ByteBuffer.allocate(1)), 0)).isTrue();
        assertThat(log).containsExactly("run");
    }
}
