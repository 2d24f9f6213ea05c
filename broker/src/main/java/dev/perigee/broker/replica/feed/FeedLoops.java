package dev.perigee.broker.replica.feed;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The event loops that feeds run on: each is woken once, however often the log grows before it has its turn. */
@ThreadSafe
final class FeedLoops {
    private static final Logger LOG = LoggerFactory.getLogger(FeedLoops.class);

    private final Transport transport;
    private final AtomicBoolean[] woken;

    FeedLoops(Transport transport) {
        this.transport = transport;
        this.woken = IntStream.range(0, transport.loopCount())
                .mapToObj(index -> new AtomicBoolean())
                .toArray(AtomicBoolean[]::new);
    }

    /** The loop of a connection. */
    LoopExecutor of(Connection connection) {
        return transport.loop(connection.loopIndex());
    }

    /** Has a loop do a task soon; nothing when it was woken before and did not begin yet. */
    void wake(int index, Runnable task) {
        if (!woken[index].compareAndSet(false, true)) {
            return;
        }
        try {
            transport.loop(index).execute(() -> {
                woken[index].set(false);
                task.run();
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("event=feeds_not_woken reason=\"the event loops have stopped\"", e);
        }
    }
}
