package dev.perigee.store.append;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.tail.FactFrames;
import java.nio.ByteBuffer;

/** Appends facts to the log. They may use the reserve of the inbox and go on while ordinary appends are refused (R34). */
@ThreadSafe
public final class FactSink {
    private static final long NOT_APPENDED = -1;

    private final AppendGate gate;
    private final FactFrames frames;

    public FactSink(AppendGate gate, Clock clock) {
        this.gate = gate;
        this.frames = new FactFrames(clock);
    }

    /**
     * Appends a fact. Does not block; any thread. The listener hears once how it ended: on the log loop, durable as the
     * flush mode asks, or at once on this thread when it is refused. Whoever needs the effect waits with {@code
     * Store.whenApplied} for the end offset.
     */
    public void append(Fact fact, FactListener listener) {
        FrameDraft draft = frames.draft(fact);
        int size = draft.sizeBytes();
        AppendResult refusal = refusal(size);
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
                true,
                (done, result) ->
                        listener.completed(result, done.physicalOffset(0) < 0 ? NOT_APPENDED : done.endOffset()));
        request.bind(memory.clear(), 0, size, gate.factSpace(), 0);
        request.holds(fact);
        if (!gate.offer(request)) {
            request.releaseSpace();
            request.complete(AppendResult.BUSY);
        }
    }

    private AppendResult refusal(int size) {
        if (gate.closed()) {
            return AppendResult.NOT_WRITABLE;
        }
        return size > gate.maxUnitBytes() ? AppendResult.TOO_LARGE : AppendResult.APPENDED;
    }
}
