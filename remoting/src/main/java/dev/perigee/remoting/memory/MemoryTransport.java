package dev.perigee.remoting.memory;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A network inside one thread, for simulation: servers and clients made with it exchange real frames through queues, and
 * nothing moves but by {@link #step}. It has one event loop, which is the stepping thread.
 */
@OwnedBy("stepping thread")
@SuppressWarnings("DoNotCallSuggester")
public final class MemoryTransport implements Transport {
    /** A network whose timers follow this clock. */
    public MemoryTransport(Clock clock) {
        throw new UnsupportedOperationException(clock.toString());
    }

    /** Does one thing: runs a task that is due, or delivers one frame. False when there is nothing to do now. */
    public boolean step() {
        throw new UnsupportedOperationException();
    }

    /** Steps until nothing is left to do at this time; fails after that many steps. Returns the steps made. */
    public int runUntilIdle(int maxSteps) {
        throw new UnsupportedOperationException();
    }

    /** When the next timer is due, in monotonic milliseconds; {@link Long#MAX_VALUE} when there is none. */
    public long nextDeadlineMs() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int loopCount() {
        return 1;
    }

    @Override
    public LoopExecutor loop(int index) {
        throw new UnsupportedOperationException();
    }

    @Override
    public OpenPort bind(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void connect(InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed) {
        throw new UnsupportedOperationException();
    }
}
