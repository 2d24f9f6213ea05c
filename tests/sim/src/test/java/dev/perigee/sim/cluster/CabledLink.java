package dev.perigee.sim.cluster;

import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Payload;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One connection through a {@link Cable}, as the client at its end has it. */
final class CabledLink implements Link, LinkEvents {
    private static final byte[] NOTHING = {};
    /** Where a frame with a binary header, as our clients send them, has its request code. */
    private static final int CODE_AT = 8;

    private final Cable cable;
    private final LinkEvents client;
    private final int number;
    private final Traffic traffic;
    private @Nullable Link network;
    private boolean isOpen;
    private boolean isPaused;
    private final Lane out = new Lane();
    private final Lane in = new Lane();
    private byte[] untaken = NOTHING;

    /** One direction: what goes in comes out in that order. */
    private final class Lane {
        private long lastMs;
        private int underWay;
        private boolean isHeld;
        private final List<Runnable> held = new ArrayList<>();

        void send(long delayMs, Runnable arrival) {
            lastMs = Math.max(lastMs, cable.nowMs() + delayMs);
            follow(arrival);
        }

        void letGo() {
            isHeld = false;
            held.forEach(this::follow);
            held.clear();
        }

        /** Right behind what was sent last. */
        void follow(Runnable arrival) {
            if (isHeld) {
                held.add(arrival);
                return;
            }
            long inMs = lastMs - cable.nowMs();
            if (underWay == 0 && inMs <= 0) {
                arrival.run();
                return;
            }
            underWay++;
            loop().schedule(Math.max(0, inMs), () -> {
                underWay--;
                arrival.run();
            });
        }
    }

    CabledLink(Cable cable, LinkEvents client, int number, Traffic traffic) {
        this.cable = cable;
        this.client = client;
        this.number = number;
        this.traffic = traffic;
    }

    private Link network() {
        return Objects.requireNonNull(network, "not open yet");
    }

    @Override
    public void opened(Link link) {
        network = link;
        isOpen = true;
        cable.opened(this);
        if (cable.isGone()) {
            link.close();
        } else {
            client.opened(this);
        }
    }

    /** The network in memory hands over whole frames. */
    @Override
    public int received(ByteBuffer bytes) {
        byte[] frame = new byte[bytes.remaining()];
        bytes.get(frame);
        traffic.note(number, frame, frame.length, frame.length);
        if (!cable.losesOne()) {
            in.send(cable.delayOfOne(), () -> arrived(frame));
        }
        return 0;
    }

    private void arrived(byte[] frame) {
        if (!isOpen || cable.isGone()) {
            return;
        }
        ByteBuffer joined = ByteBuffer.allocate(untaken.length + frame.length);
        untaken = joined.put(untaken).put(frame).array();
        if (!isPaused) {
            handUp();
            client.burstEnded();
        }
    }

    private void handUp() {
        if (untaken.length > 0) {
            ByteBuffer view = ByteBuffer.wrap(untaken);
            client.received(view);
            untaken = new byte[view.remaining()];
            view.get(untaken);
        }
    }

    @Override
    public void burstEnded() {
        // said when a frame is handed up
    }

    @Override
    public void writableAgain() {
        if (!cable.isGone()) {
            client.writableAgain();
        }
    }

    @Override
    public void closed(String reason) {
        isOpen = false;
        cable.closed(this);
        if (!cable.isGone()) {
            client.closed(reason);
        }
    }

    @Override
    public void write(byte[] head, int headSizeBytes, @Nullable Payload body) {
        if (cable.isGone() || cable.losesOne()) {
            if (body != null) {
                body.release();
            }
            return;
        }
        traffic.note(number, head, headSizeBytes, headSizeBytes + (body == null ? 0 : body.sizeBytes()));
        out.isHeld |= cable.holdsBack(ByteBuffer.wrap(head).getShort(CODE_AT));
        byte[] copy = head.clone(); // the caller uses it again
        out.send(cable.delayOfOne(), () -> network().write(copy, headSizeBytes, body));
    }

    void letGo() {
        out.letGo();
    }

    boolean isHoldingBack() {
        return out.isHeld;
    }

    @Override
    public void flush() {
        out.follow(() -> network().flush());
    }

    @Override
    public void pauseReading() {
        isPaused = true;
    }

    @Override
    public void resumeReading() {
        isPaused = false;
        handUp();
    }

    @Override
    public InetSocketAddress remote() {
        return network().remote();
    }

    @Override
    public InetSocketAddress local() {
        return network().local();
    }

    @Override
    public LoopExecutor loop() {
        return cable.loop(0);
    }

    @Override
    public boolean isWritable() {
        return network().isWritable();
    }

    @Override
    public long queuedBytes() {
        return network().queuedBytes();
    }

    @Override
    public void close() {
        network().close();
    }

    @Override
    public void closeWhenSent(long timeoutMs) {
        out.follow(() -> network().closeWhenSent(timeoutMs));
    }
}
