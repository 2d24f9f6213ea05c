package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.receive.SenderState;

/** A broker alone: what is durable is confirmed, or with asynchronous flush what is appended. */
@OwnedBy("log loop")
public final class SoloReplication implements Replication {
    private final FlushMode flushMode;
    private long generation;
    private long confirmOffset;

    public SoloReplication(FlushMode flushMode) {
        this.flushMode = flushMode;
    }

    @Override
    public boolean mayAppend() {
        return true;
    }

    @Override
    public boolean mayReceive() {
        return false;
    }

    @Override
    public Holders holders() {
        return Holders.ALONE;
    }

    @Override
    public void recovered(long recoveredGeneration, long endOffset) {
        generation = recoveredGeneration;
        confirmOffset = endOffset;
    }

    @Override
    public void appended(long endOffset) {
        if (flushMode == FlushMode.ASYNC) {
            confirmOffset = Math.max(confirmOffset, endOffset);
        }
    }

    @Override
    public void received(SenderState sender, long endOffset) {
        throw new IllegalStateException("a broker alone received bytes up to " + endOffset + " from " + sender);
    }

    @Override
    public void truncated(long newGeneration, long endOffset) {
        throw new IllegalStateException("the log of a broker alone was cut to " + endOffset + " while it ran");
    }

    @Override
    public void flushed(long flushGeneration, long endOffset) {
        if (flushGeneration == generation) {
            confirmOffset = Math.max(confirmOffset, endOffset);
        }
    }

    @Override
    public void tick(long nowMs) {
        // Nothing depends on time when there is nobody else.
    }

    @Override
    public long nextTickMs() {
        return Long.MAX_VALUE;
    }

    @Override
    public long confirmOffset() {
        return confirmOffset;
    }
}
