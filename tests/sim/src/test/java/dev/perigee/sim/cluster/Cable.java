package dev.perigee.sim.cluster;

import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The network as one client has it: frames of either direction get lost or take their time, connections are cut, and all
 * of it ends when the client vanishes. Frames of one connection and direction never overtake each other.
 */
public final class Cable implements Transport {
    /**
     * How bad it is.
     *
     * @param lossPercent frames of a hundred that never arrive
     * @param maxDelayMs the longest a frame takes
     */
    public record Weather(int lossPercent, int maxDelayMs) {
        /** Everything arrives at once. */
        public static final Weather FINE = new Weather(0, 0);
    }

    /** What nobody's times have to allow for. */
    private static final int HARMLESS_DELAY_MS = 50;

    private static final int NO_CODE = -1;

    private final MemoryTransport network;
    private final TurnedClock clock;
    private final SplittableRandom random;
    private final Traffic traffic;
    private final List<CabledLink> links = new ArrayList<>();
    private Weather weather = Weather.FINE;
    private boolean isGone;
    private long lastFaultMs = Long.MIN_VALUE;
    private int heldCode = NO_CODE;

    Cable(MemoryTransport network, TurnedClock clock, SplittableRandom random, Traffic traffic) {
        this.network = network;
        this.clock = clock;
        this.random = random;
        this.traffic = traffic;
    }

    /** Changes how bad it is, for frames from now on. */
    public void weather(Weather now) {
        weather = now;
    }

    /** Closes all connections; what is on its way on them may be lost. */
    public void cut() {
        List<CabledLink> cut = List.copyOf(links);
        if (!cut.isEmpty()) {
            lastFaultMs = clock.sinceStartMs();
        }
        cut.forEach(CabledLink::close);
    }

    /** From the next request with this code on, what the client sends on that connection stays on its way until {@link #letGo}. */
    public void holdBack(int requestCode) {
        heldCode = requestCode;
    }

    /** What is held back arrives, in its order. */
    public void letGo() {
        heldCode = NO_CODE;
        List.copyOf(links).forEach(CabledLink::letGo);
    }

    /** Whether something is held back on a connection that is open. */
    public boolean isHoldingBack() {
        return links.stream().anyMatch(CabledLink::isHoldingBack);
    }

    boolean holdsBack(int requestCode) {
        return requestCode == heldCode;
    }

    /** The client's process is gone: its connections close, and it hears nothing any more. */
    public void vanish() {
        isGone = true;
        List.copyOf(links).forEach(CabledLink::close);
    }

    /** When a frame was last lost or late or a connection cut, on the cluster's time; far in the past when never. */
    public long lastFaultMs() {
        return lastFaultMs;
    }

    boolean isGone() {
        return isGone;
    }

    void opened(CabledLink link) {
        links.add(link);
    }

    void closed(CabledLink link) {
        links.remove(link);
    }

    /** Decides about one frame: true when it is lost. */
    boolean losesOne() {
        boolean lost = weather.lossPercent > 0 && random.nextInt(100) < weather.lossPercent;
        if (lost) {
            lastFaultMs = clock.sinceStartMs();
        }
        return lost;
    }

    /** Decides about one frame: how long it takes. */
    long delayOfOne() {
        long delayMs = weather.maxDelayMs == 0 ? 0 : random.nextInt(weather.maxDelayMs + 1);
        if (delayMs > HARMLESS_DELAY_MS) {
            lastFaultMs = Math.max(lastFaultMs, clock.sinceStartMs() + delayMs);
        }
        return delayMs;
    }

    long nowMs() {
        return clock.monotonicMs();
    }

    @Override
    public int loopCount() {
        return network.loopCount();
    }

    @Override
    public LoopExecutor loop(int index) {
        return network.loop(index);
    }

    @Override
    public OpenPort bind(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor) {
        throw new UnsupportedOperationException("clients open no ports");
    }

    @Override
    public void connect(InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed) {
        if (isGone) {
            loop(0).execute(() -> failed.accept(new ConnectException("this process is gone")));
        } else {
            network.connect(address, options, new CabledLink(this, events, traffic.newLink(), traffic), failed);
        }
    }
}
