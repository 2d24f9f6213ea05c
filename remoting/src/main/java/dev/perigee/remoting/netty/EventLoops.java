package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A group of event loops over real sockets, shared by the servers and clients of a process: epoll where it is available,
 * NIO otherwise or when the system property {@code perigee.remoting.nio} is true.
 */
@ThreadSafe
@SuppressWarnings("DoNotCallSuggester")
public final class EventLoops implements Transport, AutoCloseable {
    private EventLoops() {}

    /** Starts that many loops, with threads called {@code name-0}, {@code name-1} and so on. */
    public static EventLoops start(String name, int count) {
        throw new UnsupportedOperationException(name + count);
    }

    /** Starts one loop per core. */
    public static EventLoops start(String name) {
        return start(name, Runtime.getRuntime().availableProcessors());
    }

    @Override
    public int loopCount() {
        throw new UnsupportedOperationException();
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

    /** Stops all loops. Whoever uses them is closed first. Blocks up to a few seconds; idempotent. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
