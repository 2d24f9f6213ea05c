package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.Transport;
import java.util.List;

/** Listens on ports and answers requests by a table of handlers. */
@ThreadSafe
@SuppressWarnings("DoNotCallSuggester")
public final class RemotingServer implements AutoCloseable {
    public RemotingServer(ServerConfig config, HandlerTable handlers, Transport transport, Clock clock) {
        throw new UnsupportedOperationException();
    }

    /** Tells this listener about connections; to be called before {@link #start}. */
    public void onConnections(ConnectionListener listener) {
        throw new UnsupportedOperationException();
    }

    /**
     * Opens all ports.
     *
     * @throws RemotingException.BindFailed when one of them cannot be opened, naming it; then none stays open
     */
    public void start() throws RemotingException {
        throw new UnsupportedOperationException();
    }

    /** The real number of the first port. */
    public int boundPort() {
        throw new UnsupportedOperationException();
    }

    /** The real numbers of all ports, in the order of the configuration. */
    public List<Integer> boundPorts() {
        throw new UnsupportedOperationException();
    }

    /**
     * From now on answers 1500 to requests of peers newer than 5.3.1, which then come back over a new connection or go
     * elsewhere. Requests under way are not touched, and older peers are served on.
     */
    public void goAway() {
        throw new UnsupportedOperationException();
    }

    /** What has been counted so far. */
    public RemotingCounters counters() {
        throw new UnsupportedOperationException();
    }

    /** Closes the ports, sends what is queued and closes all connections. Blocks up to a few seconds; idempotent. */
    @Override
    public void close() {
        throw new UnsupportedOperationException();
    }
}
