package dev.perigee.remoting;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.frame.HeaderBuffer;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.call.DeadlineWheel;
import dev.perigee.remoting.call.PendingCall;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What all sessions of one event loop share: buffers, the wheel of deadlines, and the tray in which other threads lay
 * frames. However many frames are laid there in a burst, the loop is woken once, writes all and flushes each connection
 * once. The tray needs no limit of its own: calls are bounded per connection, replies by the requests read.
 */
@OwnedBy("event loop")
final class LoopDesk {
    /** A frame that another thread hands to a connection's event loop. */
    interface Outgoing {
        /** Writes it. On the event loop. */
        void write();

        /** Gives up what it holds, because the event loop has stopped. */
        void drop();

        /** Gives up what it holds and tells who waits for it that it could not be written. On the event loop. */
        void notWritten(Throwable cause);
    }

    /** A call that another thread makes. */
    record HandedCall(Session session, PendingCall<?, ?> call) implements Outgoing {
        @Override
        public void write() {
            session.writeCall(call);
        }

        @Override
        public void drop() {
            call.failClosed("the event loops have stopped");
        }

        @Override
        public void notWritten(Throwable cause) {
            call.fail(cause);
        }
    }

    /** A one-way request that another thread sends. */
    record HandedOneway<Q extends Record, R extends Record>(
            Session session,
            Rpc<Q, R> rpc,
            Q header,
            @Nullable Payload body) implements Outgoing {
        @Override
        public void write() {
            session.writeOneway(rpc, header, body);
        }

        @Override
        public void drop() {
            session.dropOneway(body);
        }

        @Override
        public void notWritten(Throwable cause) {
            // counted when the write failed
        }
    }

    private static final int TRAY_CHUNK = 1024;
    /** Frames written before other work of the loop gets its turn. */
    private static final int MAX_FRAMES_PER_TURN = 2048;
    /** A header array that grew beyond this is not kept. */
    private static final int KEPT_SCRATCH_BYTES = 64 << 10;

    private final LoopExecutor loop;
    private final Clock clock;
    private final DeadlineWheel wheel;
    private final MpscUnboundedArrayQueue<Outgoing> tray = new MpscUnboundedArrayQueue<>(TRAY_CHUNK);
    private final AtomicBoolean woken = new AtomicBoolean();
    private final List<FrameOutlet> unflushed = new ArrayList<>();
    private boolean flushPlanned;
    private long plannedSweepMs = Long.MAX_VALUE;
    private LoopExecutor.@Nullable Scheduled plannedSweep;
    private byte[] scratch = new byte[1024];
    private HeaderBuffer head = new HeaderBuffer();

    LoopDesk(LoopExecutor loop, Clock clock) {
        this.loop = loop;
        this.clock = clock;
        this.wheel = new DeadlineWheel(clock.monotonicMs());
    }

    LoopExecutor loop() {
        return loop;
    }

    DeadlineWheel wheel() {
        return wheel;
    }

    /** Lays a frame into the tray. Any thread. */
    void hand(Outgoing frame) {
        tray.offer(frame);
        if (!woken.get() && woken.compareAndSet(false, true)) {
            try {
                loop.execute(this::drain);
            } catch (RejectedExecutionException e) {
                dropAll();
            }
        }
    }

    /** Makes sure that this is flushed at the end of the current turn of the loop. */
    void flushLater(FrameOutlet outlet) {
        unflushed.add(outlet);
        if (!flushPlanned) {
            flushPlanned = true;
            loop.execute(this::flushAll);
        }
    }

    /** Makes sure that the wheel is swept soon after this time, in monotonic milliseconds. */
    void planSweep(long deadlineMs) {
        long sweepMs = DeadlineWheel.sweepTimeOf(deadlineMs);
        if (sweepMs < plannedSweepMs) {
            LoopExecutor.Scheduled later = plannedSweep;
            if (later != null) {
                later.cancel();
            }
            plannedSweepMs = sweepMs;
            plannedSweep = loop.schedule(Math.max(0, sweepMs - clock.monotonicMs()), this::sweep);
        }
    }

    /** An array of at least this size, valid until the next call. */
    byte[] scratch(int sizeBytes) {
        if (scratch.length >= sizeBytes) {
            return scratch;
        }
        byte[] larger = new byte[Math.max(sizeBytes, Math.min(KEPT_SCRATCH_BYTES, 2 * scratch.length))];
        if (larger.length <= KEPT_SCRATCH_BYTES) {
            scratch = larger;
        }
        return larger;
    }

    /** The empty buffer for the head of the next frame. */
    HeaderBuffer head() {
        if (head.array().length > KEPT_SCRATCH_BYTES) {
            head = new HeaderBuffer();
        }
        head.reset();
        return head;
    }

    private void drain() {
        woken.set(false);
        flushPlanned = true; // whoever writes now is flushed below
        int written = 0;
        for (Outgoing frame = tray.poll(); frame != null; frame = tray.poll()) {
            write(frame);
            if (++written == MAX_FRAMES_PER_TURN) {
                break;
            }
        }
        flushAll();
        if (!tray.isEmpty() && woken.compareAndSet(false, true)) {
            loop.execute(this::drain);
        }
    }

    /**
     * Writes a frame. One that cannot be written, be it for want of memory, must not keep the others from their way, nor its
     * peer waiting.
     */
    static void write(Outgoing frame) {
        try {
            frame.write();
        } catch (RuntimeException | OutOfMemoryError e) {
            frame.notWritten(e);
        }
    }

    private void flushAll() {
        flushPlanned = false;
        for (int i = 0; i < unflushed.size(); i++) {
            flush(unflushed.get(i));
        }
        unflushed.clear();
    }

    private static void flush(FrameOutlet outlet) {
        try {
            outlet.flush();
        } catch (RuntimeException | OutOfMemoryError e) {
            outlet.notFlushed(e);
        }
    }

    private void sweep() {
        plannedSweepMs = Long.MAX_VALUE;
        plannedSweep = null;
        wheel.sweep(clock.monotonicMs());
        if (!wheel.isEmpty()) {
            planSweep(wheel.earliestMs());
        }
    }

    /** The loop's thread is gone; several others may come here, and the tray takes only one reader at a time. */
    private void dropAll() {
        synchronized (tray) {
            for (Outgoing frame = tray.poll(); frame != null; frame = tray.poll()) {
                frame.drop();
            }
        }
        woken.set(false);
    }
}
