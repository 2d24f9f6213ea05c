package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.frame.FrameSeal;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Where one event loop encodes frames and hands them to the log loop. Not thread-safe: one per event loop.
 *
 * <p>A few units that come in one turn of the event loop are written by the event loop itself when the log loop is
 * parked (see {@link dev.perigee.loop.LendableLoop}); as soon as there are more, the log loop is woken and works beside it.
 *
 * <p>Use: {@link #reserve}, encode the complete unit into the lent buffer, {@link #submit}. A reservation that is not
 * submitted is simply replaced by the next one.
 */
@OwnedBy("event loop")
public final class Appender {
    /** Units above this share of the ring get memory of their own, and so do those a full ring has no room for. */
    private static final int RING_SHARE = 4;
    /** Units of one turn that the event loop may write itself. */
    static final int UNITS_PER_TURN = 8;

    private final AppendGate gate;
    private final ChunkRing ring;
    private final int maxRingUnitBytes;
    private final Executor turn;
    private final Runnable turnEnd = this::turnEnded;
    /** Units submitted in this turn; the end of the turn is planned when there is one. */
    private int unitsInTurn;

    private AppendResult refusal = AppendResult.APPENDED;
    private int reservedBytes;
    /** The lent space as this thread sees it; a request's own window belongs to the log loop, which moves its limit. */
    private @Nullable ByteBuffer lent;

    private int lentAt;
    private @Nullable ByteBuffer oneOff;

    Appender(AppendGate gate, int chunkBytes, Executor turn) {
        this.gate = gate;
        this.turn = turn;
        this.ring = new ChunkRing(chunkBytes);
        this.maxRingUnitBytes = chunkBytes / RING_SHARE;
    }

    /**
     * Lends space for one unit. The buffer's position is the first byte to write and its limit the end of the space; it
     * is often the same object and must be full before the submit. Queue offset, physical offset, store timestamp and the
     * stamp's digits are filled in by the log loop.
     *
     * @return null when there is no room; {@link #refusal()} then says why
     */
    public @Nullable ByteBuffer reserve(int sizeBytes) {
        dropReservation();
        refusal = admission(sizeBytes);
        if (refusal != AppendResult.APPENDED) {
            return null;
        }
        ByteBuffer space = sizeBytes > maxRingUnitBytes ? null : ring.reserve(sizeBytes);
        if (space == null) {
            space = gate.oneOffs().reserve(sizeBytes); // too large for the ring, or the ring is full: a burst
            oneOff = space;
        }
        refusal = space == null ? AppendResult.BUSY : AppendResult.APPENDED;
        reservedBytes = space == null ? 0 : sizeBytes;
        lent = space;
        lentAt = space == null ? 0 : space.position();
        return space;
    }

    /**
     * Why {@link #reserve} would refuse a unit of this size now, whatever memory is free; APPENDED when it would not. Lends
     * nothing.
     */
    public AppendResult admission(int sizeBytes) {
        return sizeBytes > gate.maxUnitBytes() ? AppendResult.TOO_LARGE : gate.admission();
    }

    /** Why the last {@link #reserve} lent nothing. */
    public AppendResult refusal() {
        return refusal;
    }

    /**
     * Hands the last reserved space over as one unit. Completes at once, on this thread, when refused.
     *
     * @throws IllegalArgumentException when the space does not hold whole frames, each with room for a stamp; recovery
     *     would take such bytes for damage
     * @throws IllegalStateException when nothing is reserved
     */
    public void submit(AppendRequest request) {
        int bytes = reservedBytes;
        ByteBuffer written = lent;
        if (bytes == 0 || written == null) {
            throw new IllegalStateException("submit without reserve for topic " + request.topic());
        }
        boolean complete = FrameSeal.isComplete(written, lentAt, bytes, request.frameCount());
        ByteBuffer own = oneOff;
        reservedBytes = 0;
        oneOff = null;
        lent = null;
        if (own != null) {
            request.bind(own.clear(), 0, bytes, gate.oneOffs(), 0);
        } else {
            ring.take(request, bytes);
        }
        if (complete && gate.enqueue(request)) {
            submitted();
            return;
        }
        if (own != null) {
            request.releaseSpace();
        } else {
            ring.untake(bytes);
        }
        if (!complete) {
            throw new IllegalArgumentException("the unit for topic " + request.topic() + " is not made of "
                    + request.frameCount() + " whole frames in " + bytes + " bytes");
        }
        request.complete(AppendResult.BUSY);
    }

    private void submitted() {
        unitsInTurn++;
        if (unitsInTurn == 1) {
            try {
                turn.execute(turnEnd);
            } catch (RejectedExecutionException e) { // the event loop is stopping
                turnEnded();
            }
        } else if (unitsInTurn == UNITS_PER_TURN + 1) {
            gate.ring();
        }
    }

    private void turnEnded() {
        int units = unitsInTurn;
        unitsInTurn = 0;
        if (units <= UNITS_PER_TURN) {
            gate.ringOrRun();
        } else {
            gate.ring();
        }
    }

    /** The largest unit that can be reserved. */
    public int maxUnitBytes() {
        return gate.maxUnitBytes();
    }

    private void dropReservation() {
        if (oneOff != null) {
            gate.oneOffs().release(0, reservedBytes);
            oneOff = null;
        }
        reservedBytes = 0;
    }
}
