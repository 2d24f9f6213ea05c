package dev.perigee.remoting.transport;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Opens ports and connections, and owns the event loops they run on. Thread-safe. */
public interface Transport {
    /** An open port. */
    interface OpenPort {
        /** The address it listens on, with the real port when 0 was asked for. */
        InetSocketAddress address();

        /**
         * Makes what the first encrypted connection would have to wait for, so that it need not; nothing where that is there. Returns at
         * once; the future fails when it cannot be made.
         */
        default CompletableFuture<?> prepareTls() {
            return CompletableFuture.completedFuture(this);
        }

        /** Stops accepting; links already accepted stay. Idempotent, blocks until the port is free. */
        void close();
    }

    /** How many event loops there are; at least 1. */
    int loopCount();

    /** The event loop with this number, from 0. */
    LoopExecutor loop(int index);

    /**
     * Listens on an address. Each accepted link gets a receiver of events from the acceptor, asked for on any loop.
     *
     * @throws IOException when the address is taken or the options cannot be used, with the reason in its text
     */
    OpenPort bind(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor) throws IOException;

    /**
     * Connects without blocking: either {@link LinkEvents#opened} or the given failure receiver is called, once, on an
     * event loop.
     */
    void connect(InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed);
}
