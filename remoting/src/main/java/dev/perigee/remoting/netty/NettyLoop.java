package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.LoopExecutor;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One Netty event loop with its number. */
@ThreadSafe
final class NettyLoop implements LoopExecutor {
    private static final Logger LOG = LoggerFactory.getLogger(NettyLoop.class);

    private final EventLoop eventLoop;
    private final int index;

    NettyLoop(EventLoop eventLoop, int index) {
        this.eventLoop = eventLoop;
        this.index = index;
    }

    EventLoop eventLoop() {
        return eventLoop;
    }

    @Override
    public int index() {
        return index;
    }

    @Override
    public boolean inLoop() {
        return eventLoop.inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
        eventLoop.execute(task);
    }

    @Override
    public Scheduled schedule(long delayMs, Runnable task) {
        return cancelling(eventLoop.schedule(() -> runGuarded(task), delayMs, TimeUnit.MILLISECONDS));
    }

    @Override
    public Scheduled every(long periodMs, Runnable task) {
        return cancelling(
                eventLoop.scheduleWithFixedDelay(() -> runGuarded(task), periodMs, periodMs, TimeUnit.MILLISECONDS));
    }

    private static Scheduled cancelling(Future<?> future) {
        return () -> future.cancel(false);
    }

    /** A periodic task would silently end with its first exception. */
    private static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            LOG.error("event=loop_task_failed", e);
        }
    }
}
