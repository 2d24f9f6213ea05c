package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Opened;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.counter.RemotingCounters;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on ports and answers requests by a table of handlers. */
@ThreadSafe
public final class RemotingServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RemotingServer.class);
    /** A TLS handshake that takes longer ends the connection. */
    private static final int HANDSHAKE_TIMEOUT_MS = 10_000;

    private final ServerConfig config;
    private final Transport transport;
    private final Sessions sessions;
    private volatile List<Transport.OpenPort> ports = List.of();

    public RemotingServer(ServerConfig config, HandlerTable handlers, Transport transport, Clock clock) {
        this.config = config;
        this.transport = transport;
        this.sessions = new Sessions("server", config.limits(), handlers, transport, clock)
                .maxConnections(config.maxConnections());
    }

    /** Tells this listener about connections; to be called before {@link #start}. */
    public void onConnections(ConnectionListener listener) {
        sessions.listener(listener);
    }

    /**
     * Opens all ports.
     *
     * @throws RemotingException.BindFailed when one of them cannot be opened, naming it; then none stays open
     */
    public void start() throws RemotingException {
        ConnectionLimits limits = config.limits();
        LinkOptions options =
                new LinkOptions(limits.highWaterBytes(), limits.lowWaterBytes(), HANDSHAKE_TIMEOUT_MS, config.tls());
        List<Transport.OpenPort> bound = new ArrayList<>();
        try (Opened opened = new Opened()) {
            opened.add(() -> sessions.close("the server does not start")); // who came over a port open for a moment
            for (int port : config.ports()) {
                Transport.OpenPort open = bind(new InetSocketAddress(config.host(), port), options);
                opened.add(open::close);
                bound.add(open);
            }
            opened.keep();
        }
        ports = List.copyOf(bound);
        LOG.info(
                "event=listening host={} ports={} tls={}",
                config.host(),
                boundPorts(),
                config.tls().mode());
    }

    private Transport.OpenPort bind(InetSocketAddress address, LinkOptions options) throws RemotingException {
        try {
            return transport.bind(address, options, () -> sessions.newReceiver(session -> {}));
        } catch (IOException e) {
            throw new RemotingException.BindFailed(config.host() + ":" + address.getPort(), e);
        }
    }

    /** The real number of the first port. */
    public int boundPort() {
        return boundPorts().get(0);
    }

    /** The real numbers of all ports, in the order of the configuration. */
    public List<Integer> boundPorts() {
        if (ports.isEmpty()) {
            throw new IllegalStateException("the server is not started");
        }
        return ports.stream().map(port -> port.address().getPort()).toList();
    }

    /**
     * Makes what the first encrypted connection would have to wait for, for which the libraries of certificates are loaded. After
     * {@link #start}. Returns at once; the future fails when it cannot be made.
     */
    public CompletableFuture<?> prepareTls() {
        return CompletableFuture.allOf(
                ports.stream().map(Transport.OpenPort::prepareTls).toArray(CompletableFuture[]::new));
    }

    /**
     * From now on answers 1500 to requests of peers newer than 5.3.1, which then come back over a new connection or go
     * elsewhere. Requests under way are not touched, and older peers are served on.
     */
    public void goAway() {
        sessions.goAway();
    }

    /**
     * Closes the ports and takes no further request: what peers still send is left unread, so they see their connection
     * end with {@link #close} instead of a refusal. Requests under way go on and are answered. Blocks a moment.
     */
    public void stopReading() {
        ports.forEach(Transport.OpenPort::close);
        sessions.stopTaking();
    }

    /** How many requests have come to a handler that has not replied yet, over connections that are still open. */
    public long unanswered() {
        return sessions.unanswered();
    }

    /** What has been counted so far. */
    public RemotingCounters counters() {
        return sessions.snapshot();
    }

    /** Closes the ports, sends what is queued and closes all connections. Blocks up to a few seconds; idempotent. */
    @Override
    public void close() {
        ports.forEach(Transport.OpenPort::close);
        sessions.close("the server is closing");
    }
}
