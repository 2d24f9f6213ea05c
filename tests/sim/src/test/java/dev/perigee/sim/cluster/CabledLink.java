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

/** One connection through a {@link Cable}, as the process that opened it has it. */
final class CabledLink implements Link, LinkEvents {
    private static final byte[] NOTHING = {};
    /** Where a frame with a binary header, as our clients send them, has its request code. */
    private static final int CODE_AT = 8;

    private final Cable cable;
    private final LinkEvents client;
    private final String far;
    private final Count count;
    private @Nullable Link network;
    private boolean isOpen;
    private boolean isPaused;
    private final Lane out = new Lane();
    private final Lane in = new Lane();
    private byte[] untaken = NOTHING;

    /** Where its frames are counted. */
    record Count(int number, Traffic traffic) {
        void note(byte[] frame, int headBytes, int frameBytes) {
            traffic.note(number, frame, headBytes, frameBytes);
        }
    }

    /** One direction: what goes in comes out in that order, unless the weather lets frames overtake each other. */
    private final class Lane {
        private long lastMs;
        private int underWay;
        private boolean isHeld;
        private final List<Runnable> held = new ArrayList<>();

        void send(Weather now, Runnable arrival) {
            long delayMs = cable.delayOfOne(now);
            if (now.overtakes() && delayMs > 0) {
                loop().schedule(delayMs, arrival);
                return;
            }
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

    CabledLink(Cable cable, LinkEvents client, String far, Count count) {
        this.cable = cable;
        this.client = client;
        this.far = far;
        this.count = count;
    }

    /** The process at the other end. */
    String far() {
        return far;
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
        count.note(frame, frame.length, frame.length);
        Weather now = cable.from(far);
        if (!cable.losesOne(now)) {
            cable.garble(now, frame);
            in.send(now, () -> arrived(frame));
            if (cable.doublesOne(now)) {
                in.send(now, () -> arrived(frame));
            }
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
        Weather now = cable.to(far);
        if (cable.isGone() || cable.losesOne(now)) {
            if (body != null) {
                body.release();
            }
            return;
        }
        count.note(head, headSizeBytes, headSizeBytes + (body == null ? 0 : body.sizeBytes()));
        out.isHeld |= cable.holdsBack(ByteBuffer.wrap(head).getShort(CODE_AT));
        if (now.overtakes() || now.doublePercent() > 0) {
            writeAlone(now, whole(head, headSizeBytes, body));
        } else {
            byte[] copy = head.clone(); // the caller uses it again
            out.send(now, () -> network().write(copy, headSizeBytes, body));
        }
    }

    /** The frame goes by itself, so that it may be late or come twice. */
    private void writeAlone(Weather now, byte[] frame) {
        int copies = cable.doublesOne(now) ? 2 : 1;
        for (int i = 0; i < copies; i++) {
            out.send(now, () -> {
                network().write(frame, frame.length, null);
                network().flush();
            });
        }
    }

    private static byte[] whole(byte[] head, int headSizeBytes, @Nullable Payload body) {
        ByteBuffer frame = ByteBuffer.allocate(headSizeBytes + (body == null ? 0 : body.sizeBytes()));
        frame.put(head, 0, headSizeBytes);
        if (body != null) {
            for (int i = 0; i < body.bufferCount(); i++) {
                frame.put(body.buffer(i));
            }
            body.release();
        }
        return frame.array();
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
