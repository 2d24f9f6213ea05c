package dev.perigee.replica.follow;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.replica.StreamLimits;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What comes down to this replica in one session: puts fragments together to whole units and hands these to the log, in
 * order and once. A frame of another session or one that came before is passed over; one that does not continue what is here is a
 * fault, and ends the session. When the log takes nothing more, units wait here and the connection is not to be read.
 */
@OwnedBy("event loop")
public final class LogIntake {
    /** What became of a frame. */
    public enum Verdict {
        /** It continued the log, or was a heartbeat at its end. */
        TAKEN,
        /** It belongs to another session, or its bytes are here already. */
        IGNORED,
        /** It cannot be: see {@link LogIntake#fault}. */
        REFUSED
    }

    /** The way into the log. */
    @FunctionalInterface
    public interface UnitSink {
        /**
         * Takes units over, or answers false when there is no room now; they are offered again.
         *
         * @param units without bytes only to tell the confirm offset
         * @param confirmOffset how far the sender's log may be seen, as it said last
         */
        boolean offer(LogUnits units, long confirmOffset);
    }

    /**
     * What both sides agreed on.
     *
     * @param session the number of this replica's hello
     * @param senderEpoch the epoch the sender writes in
     * @param windowBytes bytes that may wait here at most, and a frame; more is a fault of the sender
     * @param maxUnitBytes the largest unit
     * @param fragmentBytes what the first fragment of a unit has: a unit that a smaller frame begins and does not end was not sent so
     */
    public record Terms(long session, int senderEpoch, int windowBytes, int maxUnitBytes, int fragmentBytes) {
        /** The usual terms. */
        public static Terms of(long session, int senderEpoch) {
            return new Terms(
                    session, senderEpoch, StreamLimits.WINDOW_BYTES, StreamLimits.UNIT_BYTES, StreamLimits.FRAME_BYTES);
        }
    }

    /** A sender that was not heard for so long is given up: it says something every {@link StreamLimits#HEARTBEAT_MS}. */
    static final long SILENCE_MS = 10_000;

    /** After so long without its next byte a unit that has begun to come is asked for anew; a fragment is that slow on no line in use. */
    static final long UNFINISHED_MS = 60_000;

    private final Terms terms;
    private final UnitSink sink;
    private final UnitAssembly assembly;
    private final ArrayDeque<LogUnits> backlog = new ArrayDeque<>();
    private long backlogBytes;
    private long confirm;
    private long heardMs;
    private long bytesMs;
    /** Since when the connection is read. */
    private long readMs;

    private @Nullable String fault;

    /**
     * @param offset where the stream begins: the end of this replica's log
     * @param epoch the epoch of the unit before; 0 when there is none
     */
    public LogIntake(Terms terms, long offset, int epoch, UnitSink sink, long nowMs) {
        this.terms = terms;
        this.sink = sink;
        this.assembly = new UnitAssembly(offset, epoch, terms.maxUnitBytes(), terms.fragmentBytes());
        this.heardMs = nowMs;
        this.bytesMs = nowMs;
        this.readMs = nowMs;
    }

    /** Takes a frame; its bytes may be reused when this returns. */
    public Verdict received(FetchedHeader header, ByteBuffer bytes, long nowMs) {
        if (fault != null) {
            return Verdict.REFUSED;
        }
        if (header.session() != terms.session()) {
            return Verdict.IGNORED;
        }
        heardMs = nowMs;
        long next = assembly.nextOffset();
        if (header.offset() < next && header.offset() + bytes.remaining() <= next) {
            return Verdict.IGNORED;
        }
        fault = whatIsWrong(header, bytes);
        if (fault != null) {
            return Verdict.REFUSED;
        }
        confirm = Math.max(confirm, header.confirmOffset());
        if (bytes.hasRemaining()) {
            bytesMs = nowMs;
            fault = assembly.add(bytes);
            if (fault == null && assembly.epoch() > terms.senderEpoch()) {
                fault = "a unit of epoch " + assembly.epoch() + " from a sender that writes in epoch "
                        + terms.senderEpoch();
                return Verdict.REFUSED;
            }
            assembly.take().ifPresent(this::handOn);
        } else if (backlog.isEmpty()) {
            handOn(new LogUnits(assembly.unitsEndOffset(), ByteBuffer.allocate(0)));
        }
        return fault == null ? Verdict.TAKEN : Verdict.REFUSED;
    }

    /** Offers again what waits; true when nothing waits any more, so that the connection may be read again. */
    public boolean drain(long nowMs) {
        while (!backlog.isEmpty() && sink.offer(backlog.peekFirst(), confirm)) {
            backlogBytes -= backlog.removeFirst().sizeBytes();
            readMs = nowMs;
        }
        return backlog.isEmpty();
    }

    /** Whether units wait here: nothing is to be read from the connection. */
    public boolean isFull() {
        return !backlog.isEmpty();
    }

    /** How far the sender's log may be seen, as it said last. */
    public long confirmOffset() {
        return confirm;
    }

    /** When the sender was last heard in this session, monotonic milliseconds. */
    public long heardMs() {
        return heardMs;
    }

    /**
     * Why nothing more is to be expected of this session, though its connection stands; empty while something is. That nothing came while the
     * connection was not read says nothing.
     */
    public Optional<String> standstill(long nowMs) {
        if (isFull()) {
            return Optional.empty();
        }
        long silentMs = nowMs - Math.max(heardMs, readMs);
        if (silentMs > SILENCE_MS) {
            return Optional.of("the sender was not heard for " + silentMs + " ms");
        }
        long unfinishedMs = unfinishedMs(nowMs);
        if (unfinishedMs > UNFINISHED_MS) {
            return Optional.of("of the unit that ends behind offset " + nextOffset() + " nothing more came for "
                    + unfinishedMs + " ms");
        }
        return Optional.empty();
    }

    /** For how long nothing came of a unit of which a part is here; 0 when none is. */
    long unfinishedMs(long nowMs) {
        return assembly.isUnfinished() ? nowMs - Math.max(bytesMs, readMs) : 0;
    }

    /** The byte after the last one that came (exclusive), be it of a whole unit or not. */
    public long nextOffset() {
        return assembly.nextOffset();
    }

    /** The epoch of the last whole unit that came; 0 when there is none. */
    public int epoch() {
        return assembly.epoch();
    }

    /** Why the session is over. */
    public Optional<String> fault() {
        return Optional.ofNullable(fault);
    }

    private @Nullable String whatIsWrong(FetchedHeader header, ByteBuffer bytes) {
        if (header.senderEpoch() != terms.senderEpoch()) {
            return "the sender writes in epoch " + header.senderEpoch() + ", its answer to the hello said "
                    + terms.senderEpoch();
        }
        if (header.offset() != assembly.nextOffset()) {
            return "bytes for offset " + header.offset() + ", wanted " + assembly.nextOffset();
        }
        if (header.epochBefore() != assembly.epoch()) {
            return "before offset " + header.offset() + " the sender has epoch " + header.epochBefore()
                    + ", this replica " + assembly.epoch();
        }
        if (backlogBytes + bytes.remaining() > terms.windowBytes() + (long) StreamLimits.FRAME_BYTES) {
            return backlogBytes + " bytes wait for the log, and " + bytes.remaining() + " more were sent (window "
                    + terms.windowBytes() + ")";
        }
        return null;
    }

    private void handOn(LogUnits units) {
        if (!backlog.isEmpty() || !sink.offer(units, confirm)) {
            backlog.addLast(units);
            backlogBytes += units.sizeBytes();
        }
    }
}
