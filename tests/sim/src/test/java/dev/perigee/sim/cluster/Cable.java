package dev.perigee.sim.cluster;

import dev.perigee.remoting.memory.MemoryTransport;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The network as one process has it: on the connections it opens, frames of either direction get lost, take their time, come twice
 * or overtake each other, as its own weather and the {@link Roads} say; connections are cut, and all of it ends when the process
 * vanishes.
 */
public final class Cable implements Transport {
    /** What nobody's times have to allow for. */
    private static final int HARMLESS_DELAY_MS = 50;

    private static final int NO_CODE = -1;

    private final String process;
    private final MemoryTransport network;
    private final TurnedClock clock;
    private final Roads roads;
    private final SplittableRandom random;
    private final Traffic traffic;
    private final ProcessLoop loop;
    private final List<CabledLink> links = new ArrayList<>();
    private Weather weather = Weather.FINE;
    private boolean isGone;
    private long lastFaultMs = Long.MIN_VALUE;
    private int heldCode = NO_CODE;

    Cable(String process, MemoryTransport network, TurnedClock clock, Roads roads, Course course) {
        this.process = process;
        this.network = network;
        this.clock = clock;
        this.roads = roads;
        this.random = course.random;
        this.traffic = course.traffic;
        this.loop = new ProcessLoop(network.loop(0));
    }

    /** Chance, and where what happens is noted. */
    record Course(SplittableRandom random, Traffic traffic) {}

    /** What the process is called. */
    String process() {
        return process;
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
        loop.end();
        List.copyOf(links).forEach(CabledLink::close);
    }

    /** The process stands still, and hears nothing before it goes on. */
    void freeze() {
        loop.freeze();
    }

    /** The process goes on. */
    void thaw() {
        loop.thaw();
    }

    /** Closes the connections to one other process. */
    public void cut(String other) {
        List<CabledLink> cut =
                links.stream().filter(link -> link.far().equals(other)).toList();
        if (!cut.isEmpty()) {
            lastFaultMs = clock.sinceStartMs();
        }
        cut.forEach(CabledLink::close);
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

    /** How bad it is on the way to another process. */
    Weather to(String other) {
        return weather.and(roads.between(process, other));
    }

    /** How bad it is on the way from another process. */
    Weather from(String other) {
        return weather.and(roads.between(other, process));
    }

    /** Decides about one frame: true when it is lost. */
    boolean losesOne(Weather now) {
        boolean lost = now.lossPercent() > 0 && random.nextInt(100) < now.lossPercent();
        if (lost) {
            lastFaultMs = clock.sinceStartMs();
        }
        return lost;
    }

    /** Decides about one frame: how long it takes. */
    long delayOfOne(Weather now) {
        long delayMs = now.maxDelayMs() == 0 ? 0 : random.nextInt(now.maxDelayMs() + 1);
        delayMs = Math.max(delayMs, now.heldUntilMs() - nowMs());
        if (delayMs > HARMLESS_DELAY_MS) {
            lastFaultMs = Math.max(lastFaultMs, clock.sinceStartMs() + delayMs);
        }
        return delayMs;
    }

    /** Decides about one frame with bytes of a log: turns one of their bits over, or does not. */
    void garble(Weather now, byte[] frame) {
        int bodyBytes = now.garblePercent() == 0 ? 0 : LogFrame.bodyBytes(frame);
        if (bodyBytes > 0 && random.nextInt(100) < now.garblePercent()) {
            frame[frame.length - 1 - random.nextInt(bodyBytes)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        }
    }

    /** Decides about one frame: whether it arrives twice. */
    boolean doublesOne(Weather now) {
        return now.doublePercent() > 0 && random.nextInt(100) < now.doublePercent();
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
        if (index != 0) {
            throw new IndexOutOfBoundsException("loop " + index + " of 1");
        }
        return loop;
    }

    @Override
    public OpenPort bind(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor)
            throws IOException {
        return network.bind(address, options, acceptor);
    }

    /** An attempt ends when the way there or back is open again, or at once. */
    @Override
    public void connect(InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed) {
        String other = roads.ownerOf(address.getPort());
        long heldMs = Math.max(to(other).heldUntilMs(), from(other).heldUntilMs()) - nowMs();
        if (isGone) {
            loop.execute(() -> failed.accept(new ConnectException("this process is gone")));
        } else if (heldMs > 0) {
            lastFaultMs = Math.max(lastFaultMs, clock.sinceStartMs() + heldMs);
            loop.schedule(heldMs, () -> failed.accept(new ConnectException("no way to " + other)));
        } else {
            CabledLink link = new CabledLink(this, events, other, new CabledLink.Count(traffic.newLink(), traffic));
            network.connect(address, options, link, failed);
        }
    }
}
