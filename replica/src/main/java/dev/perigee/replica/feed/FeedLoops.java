package dev.perigee.replica.feed;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import dev.perigee.store.view.ColdReaders;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that feeds run on: event loops, each woken once however often the log grows before it has its turn, and the
 * readers that wait for the disk in their place.
 */
@ThreadSafe
final class FeedLoops {
    private static final Logger LOG = LoggerFactory.getLogger(FeedLoops.class);

    private final Transport transport;
    private final ColdReaders coldReaders;
    private final AtomicBoolean[] woken;

    FeedLoops(Transport transport, ColdReaders coldReaders) {
        this.transport = transport;
        this.coldReaders = coldReaders;
        this.woken = IntStream.range(0, transport.loopCount())
                .mapToObj(index -> new AtomicBoolean())
                .toArray(AtomicBoolean[]::new);
    }

    /** The loop of a connection. */
    LoopExecutor of(Connection connection) {
        return transport.loop(connection.loopIndex());
    }

    /**
     * Runs a read where the disk may be waited for, and then a task on an event loop.
     *
     * @return false when too many reads wait; then neither is run
     */
    boolean readElsewhere(Runnable read, LoopExecutor loop, Runnable then) {
        return coldReaders.execute(() -> {
            read.run();
            try {
                loop.execute(then);
            } catch (RejectedExecutionException e) {
                LOG.debug("event=cold_read_dropped reason=\"the event loops have stopped\"", e);
            }
        });
    }

    /** Has the loop of a connection do a task. */
    void run(Connection connection, Runnable task) {
        try {
            of(connection).execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("event=feed_task_dropped reason=\"the event loops have stopped\"", e);
        }
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
