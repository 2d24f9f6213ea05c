package dev.perigee.store.append;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.tail.FactFrames;
import java.nio.ByteBuffer;
import java.util.function.IntSupplier;

/**
 * Appends what the broker itself stores to the log. Facts may use the reserve of the inbox and go on while ordinary appends are
 * refused (R34). Nothing here is bound by the size that is allowed for clients' messages: a frame may be a little larger than half a
 * segment, so that what once came in can always be delivered and carried on.
 */
@ThreadSafe
public final class FactSink {
    /** Whichever it is. */
    public static final int ANY_EPOCH = 0;

    /** In none: it is refused as {@link AppendResult#NOT_WRITABLE}. */
    public static final int NO_EPOCH = -1;

    private static final long NOT_APPENDED = -1;

    private final AppendGate gate;
    private final FactFrames frames;
    private final IntSupplier epoch;

    /** Appends in whichever epoch. */
    public FactSink(AppendGate gate, Clock clock) {
        this(gate, new FactFrames(clock), () -> ANY_EPOCH);
    }

    private FactSink(AppendGate gate, FactFrames frames, IntSupplier epoch) {
        this.gate = gate;
        this.frames = frames;
        this.epoch = epoch;
    }

    /**
     * A sink for what was decided while this broker writes in one epoch, and must not be appended in another, for by then somebody else may
     * have decided the same.
     *
     * @param decidedIn the number of that epoch, asked at each append on the appending thread; {@link #ANY_EPOCH}, or {@link #NO_EPOCH} where
     *     nothing may be appended
     */
    public FactSink onlyIn(IntSupplier decidedIn) {
        return new FactSink(gate, frames, decidedIn);
    }

    /** What a frame may use: carried copies make space, so they go on when others have to wait (R34). */
    public enum Room {
        /** Refused while the disk or the inbox is full, as what clients send. */
        ORDINARY,
        /** May take the room that is kept for facts. */
        RESERVE
    }

    /** Told once how the append of a frame ended. */
    @FunctionalInterface
    public interface FrameListener {
        /**
         * Called on the log loop, or on the appending thread when refused at once. Must not block or throw.
         *
         * @param endOffset the byte after the frame, −1 when not appended
         * @param queueOffset its place in its queue, −1 when not appended
         */
        void completed(AppendResult result, long endOffset, long queueOffset);
    }

    /**
     * Appends a frame that is no fact: a message the broker itself stores. Does not block; any thread. The listener hears
     * once how it ended, as for facts.
     *
     * @param topic the topic in the frame
     * @param frame its parts; free again when this returns
     * @throws IllegalArgumentException when topic or properties are too long for a frame
     */
    public void append(String topic, int queueId, FrameDraft frame, Room room, FrameListener done) {
        append(topic, queueId, frame, room, true, done);
    }

    /** As above; without {@code waitForStore} the listener hears of the append even where the flush mode asks for more. */
    public void append(
            String topic, int queueId, FrameDraft frame, Room room, boolean waitForStore, FrameListener done) {
        int size = frame.sizeBytes();
        int decidedIn = epoch.getAsInt();
        AppendResult refusal = refusal(size, decidedIn);
        if (refusal == AppendResult.APPENDED && room == Room.ORDINARY) {
            refusal = gate.admission();
        }
        OneOffSpace space = room == Room.ORDINARY ? gate.oneOffs() : gate.factSpace();
        ByteBuffer memory = refusal == AppendResult.APPENDED ? space.reserve(size) : null;
        if (memory == null) {
            AppendResult why = refusal == AppendResult.APPENDED ? AppendResult.BUSY : refusal;
            done.completed(why, NOT_APPENDED, NOT_APPENDED);
            return;
        }
        write(frame, memory, size, space);
        AppendRequest request = new AppendRequest(topic, queueId, 1, waitForStore, (appended, result) -> {
            boolean there = appended.physicalOffset(0) >= 0;
            done.completed(
                    result, there ? appended.endOffset() : NOT_APPENDED, there ? appended.queueOffset() : NOT_APPENDED);
        });
        request.bind(memory.clear(), 0, size, space, 0);
        request.takesOwnTime();
        request.onlyIn(decidedIn);
        if (room == Room.RESERVE) {
            request.mayUseReserve();
        }
        if (!gate.offer(request)) {
            request.releaseSpace();
            request.complete(AppendResult.BUSY);
        }
    }

    private static void write(FrameDraft frame, ByteBuffer memory, int size, OneOffSpace space) {
        try {
            frame.writeTo(memory);
        } catch (IllegalArgumentException e) {
            space.release(0, size);
            throw e;
        }
    }

    /**
     * Appends a fact. Does not block; any thread. The listener hears once how it ended: on the log loop, durable as the
     * flush mode asks, or at once on this thread when it is refused. Whoever needs the effect waits with {@code
     * Store.whenApplied} for the end offset.
     */
    public void append(Fact fact, FactListener listener) {
        append(fact, true, listener);
    }

    /** As above; without {@code waitForStore} the listener hears of the append even where the flush mode asks for more. */
    public void append(Fact fact, boolean waitForStore, FactListener listener) {
        FrameDraft draft = frames.draft(fact);
        int size = draft.sizeBytes();
        int decidedIn = epoch.getAsInt();
        AppendResult refusal = refusal(size, decidedIn);
        ByteBuffer memory = refusal == AppendResult.APPENDED ? gate.factSpace().reserve(size) : null;
        if (memory == null) {
            listener.completed(refusal == AppendResult.APPENDED ? AppendResult.BUSY : refusal, NOT_APPENDED);
            return;
        }
        draft.writeTo(memory);
        AppendRequest request = new AppendRequest(
                SystemTopic.FACTS,
                FactCodec.QUEUE_ID,
                1,
                waitForStore,
                (done, result) ->
                        listener.completed(result, done.physicalOffset(0) < 0 ? NOT_APPENDED : done.endOffset()));
        request.bind(memory.clear(), 0, size, gate.factSpace(), 0);
        request.holds(fact);
        request.onlyIn(decidedIn);
        if (!gate.offer(request)) {
            request.releaseSpace();
            request.complete(AppendResult.BUSY);
        }
    }

    private AppendResult refusal(int size, int decidedIn) {
        if (gate.closed() || decidedIn == NO_EPOCH) {
            return AppendResult.NOT_WRITABLE;
        }
        return size > gate.maxOwnUnitBytes() ? AppendResult.TOO_LARGE : AppendResult.APPENDED;
    }
}
