package dev.perigee.store.retention;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.view.LogView.CarrySink;
import dev.perigee.store.view.LogView.FrameCopy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Facts and copies of frames appended together: how many are under way, how many failed, and where the last one ends. */
@ThreadSafe
final class FactBatch implements CarrySink {
    private final RetentionSeams seams;
    private final FrameCarry frames;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger appended = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicLong endOffset = new AtomicLong();

    /** {@code lost} is run for each frame that was found damaged and let go. */
    FactBatch(RetentionSeams seams, Runnable lost) {
        this.seams = seams;
        this.frames = new FrameCarry(seams, (result, end, queueOffset) -> completed(result, end), lost);
    }

    @Override
    public void fact(Fact fact) {
        underWay.incrementAndGet();
        seams.facts().accept(fact, this::completed);
    }

    @Override
    public void frame(long offset, FrameCopy copy) {
        underWay.incrementAndGet();
        frames.add(offset, copy);
    }

    /** Has the frames read and appended; once, after the last of them was handed in. */
    void begin() {
        if (!frames.isEmpty() && !seams.background().test(frames)) {
            frames.refuse();
        }
    }

    private void completed(AppendResult result, long end) {
        if (end >= 0) {
            appended.incrementAndGet();
            endOffset.accumulateAndGet(end, Math::max);
        } else {
            refused.incrementAndGet();
        }
        underWay.decrementAndGet();
    }

    /** Whether all came to an end and those appended are applied. */
    boolean settled(long appliedOffset) {
        return underWay.get() == 0 && appliedOffset >= endOffset.get();
    }

    int appended() {
        return appended.get();
    }

    int refused() {
        return refused.get();
    }
}
