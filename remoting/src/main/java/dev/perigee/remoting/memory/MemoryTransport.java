package dev.perigee.remoting.memory;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A network inside one thread, for simulation: servers and clients made with it exchange real frames through queues, and
 * nothing moves but by {@link #step}. It has one event loop, which is the stepping thread. The order is fixed: tasks first,
 * then timers that are due, then frames in the order they were sent.
 */
@OwnedBy("stepping thread")
public final class MemoryTransport implements Transport {
    private static final int FIRST_FREE_PORT = 40_000;

    private final MemoryLoop loop;
    private final Queue<Runnable> inFlight = new ArrayDeque<>();
    private final Map<Integer, MemoryPort> ports = new HashMap<>();
    /** The connecting side of every open connection, oldest first. */
    private final List<MemoryLink> open = new ArrayList<>();

    private int nextFreePort = FIRST_FREE_PORT;

    /** A network whose timers follow this clock. */
    public MemoryTransport(Clock clock) {
        this.loop = new MemoryLoop(clock);
    }

    /** Does one thing: runs a task or a timer that is due, or delivers one frame. False when there is nothing to do now. */
    public boolean step() {
        if (loop.runOne()) {
            return true;
        }
        Runnable delivery = inFlight.poll();
        if (delivery == null) {
            return false;
        }
        delivery.run();
        return true;
    }

    /**
     * Steps until nothing is left to do at this time. Returns the steps made.
     *
     * @throws IllegalStateException when that many steps were not enough
     */
    public int runUntilIdle(int maxSteps) {
        for (int steps = 0; steps < maxSteps; steps++) {
            if (!step()) {
                return steps;
            }
        }
        throw new IllegalStateException("the network is not idle after " + maxSteps + " steps");
    }

    /** When the next timer is due, in monotonic milliseconds; {@link Long#MAX_VALUE} when there is none. */
    public long nextDeadlineMs() {
        return loop.nextDeadlineMs();
    }

    /** How many connections are open. */
    public int openConnections() {
        open.removeIf(link -> !link.isOpen());
        return open.size();
    }

    /**
     * Breaks a connection: both ends see it closed, and what is on its way in it is lost.
     *
     * @param index which one, the oldest being 0
     */
    public void breakConnection(int index) {
        openConnections();
        open.remove(index).tear();
    }

    /** Breaks every open connection to a port, as {@link #breakConnection} does. */
    public void breakConnectionsTo(int port) {
        openConnections();
        for (MemoryLink link : List.copyOf(open)) {
            if (link.remote().getPort() == port) {
                open.remove(link);
                link.tear();
            }
        }
    }

    /** Forgets who listens at a port, as when that machine lost its power; connections stay until they are broken. */
    public void unplug(int port) {
        ports.remove(port);
    }

    @Override
    public int loopCount() {
        return 1;
    }

    @Override
    public LoopExecutor loop(int index) {
        if (index != 0) {
            throw new IndexOutOfBoundsException("loop " + index + " of 1");
        }
        return loop;
    }

    /** Ports are told apart by their number only; the host is not looked at. */
    @Override
    public OpenPort bind(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor)
            throws IOException {
        int number = address.getPort() == 0 ? nextFreePort++ : address.getPort();
        if (ports.containsKey(number)) {
            throw new BindException("Address already in use");
        }
        MemoryPort port = new MemoryPort(local(number), options, acceptor);
        ports.put(number, port);
        return port;
    }

    @Override
    public void connect(InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed) {
        InetSocketAddress from = local(nextFreePort++);
        inFlight.add(() -> {
            MemoryPort port = ports.get(address.getPort());
            if (port == null) {
                failed.accept(new ConnectException("Connection refused"));
                return;
            }
            MemoryLink near = new MemoryLink(this, from, port.address, options, events);
            MemoryLink far = new MemoryLink(this, port.address, from, port.options, port.acceptor.get());
            near.join(far);
            far.open();
            near.open();
            open.add(near);
        });
    }

    MemoryLoop ownLoop() {
        return loop;
    }

    void send(Runnable delivery) {
        inFlight.add(delivery);
    }

    private static InetSocketAddress local(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private final class MemoryPort implements OpenPort {
        private final InetSocketAddress address;
        private final LinkOptions options;
        private final Supplier<LinkEvents> acceptor;

        MemoryPort(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor) {
            this.address = address;
            this.options = options;
            this.acceptor = acceptor;
        }

        @Override
        public InetSocketAddress address() {
            return address;
        }

        @Override
        public void close() {
            ports.remove(address.getPort(), this);
        }
    }
}
