package dev.perigee.store.tail;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.message.FrameDraft;
import java.nio.ByteBuffer;

/** Makes frames of facts, complete but for what the log loop fills in. */
@ThreadSafe
public final class FactFrames {
    private final Clock clock;

    public FactFrames(Clock clock) {
        this.clock = clock;
    }

    /** The parts of the frame of a fact, born now; a new draft for each call. */
    public FrameDraft draft(Fact fact) {
        return FactCodec.fill(new FrameDraft().bornTimestampMs(clock.wallMs()), fact);
    }

    /** The frame of a fact, born now, in a buffer of its size. */
    public ByteBuffer encode(Fact fact) {
        FrameDraft draft = draft(fact);
        ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(frame);
        return frame.flip();
    }
}
