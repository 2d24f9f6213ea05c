package dev.perigee.replica.follow;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.append.FlushMode;
import dev.perigee.store.append.Replication;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.receive.SenderState;
import dev.perigee.store.tail.HeadFacts;
import java.io.IOException;

/**
 * What a replica confirms: no more than its sender says, and no more than it received in the sender's epoch (R19). What was
 * said in one session counts in no other: a sender that comes later may not have the bytes at those offsets.
 */
@OwnedBy("log loop")
public final class SlaveReplication implements Replication {
    /** Only the log's name is asked for. */
    private static final int ANY_SEGMENT_BYTES = 1 << 20;

    private final FlushMode flushMode;
    private final Confirmed confirmedBefore;
    private Runnable onHeld = () -> {};
    private volatile long held;
    private long generation;
    private long end;
    private long flushed;
    private long confirm;
    /** The confirm offset that the sender of this session said last, and the session. */
    private long told;

    private long session;

    /**
     * For the log in a folder, with what was kept there.
     *
     * @throws IOException when the folder cannot be read, or what was kept is damaged
     */
    public static SlaveReplication of(Disk disk, FlushMode flushMode) throws IOException {
        long logId = HeadFacts.read(disk, ANY_SEGMENT_BYTES).logId();
        return new SlaveReplication(flushMode, logId == 0 ? Confirmed.NOTHING : new ConfirmedFile(disk).read(logId));
    }

    /** @param confirmedBefore the highest confirm offset that this replica kept durably; see {@link ConfirmedFile} */
    public SlaveReplication(FlushMode flushMode, Confirmed confirmedBefore) {
        this.flushMode = flushMode;
        this.confirmedBefore = confirmedBefore;
    }

    /** What this replica knew to be confirmed when it was opened; its log may end before. Any thread. */
    Confirmed confirmedBefore() {
        return confirmedBefore;
    }

    /** Names who is told on the log loop that {@link #heldOffset} has moved; must not block. Before it runs. */
    public void onHeld(Runnable listener) {
        onHeld = listener;
    }

    @Override
    public boolean mayAppend() {
        return false;
    }

    @Override
    public boolean follows() {
        return true;
    }

    @Override
    public boolean mayReceive() {
        return true;
    }

    @Override
    public void recovered(long recoveredGeneration, long endOffset) {
        generation = recoveredGeneration;
        end = endOffset;
        flushed = endOffset;
        confirm = Math.min(endOffset, confirmedBefore.offset());
        held = endOffset;
    }

    @Override
    public void appended(long endOffset) {
        throw new IllegalStateException("a replica appended up to " + endOffset);
    }

    @Override
    public void flushed(long flushGeneration, long endOffset) {
        if (flushGeneration == generation) {
            flushed = Math.max(flushed, endOffset);
            moveHeld();
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>What a session begins with comes after its cut, so that everything below the end is the sender's; what the sender of
     * another session said is forgotten.
     */
    @Override
    public void received(SenderState sender, long endOffset) {
        if (sender.session() != session) {
            session = sender.session();
            told = 0;
        }
        told = Math.max(told, sender.confirmOffset());
        end = endOffset;
        confirm = Math.max(confirm, Math.min(told, end));
        moveHeld();
    }

    @Override
    public void truncated(long newGeneration, long endOffset) {
        if (endOffset < confirm) {
            throw new IllegalStateException("cut to " + endOffset + " below the confirm offset " + confirm);
        }
        generation = newGeneration;
        end = endOffset;
        flushed = endOffset;
        moveHeld();
    }

    /** The byte up to which this replica answers for everything: written, or with synchronous flush on its disk. Any thread. */
    public long heldOffset() {
        return held;
    }

    @Override
    public void tick(long nowMs) {
        // Nothing here depends on time: who is silent is the sender's to notice.
    }

    @Override
    public long nextTickMs() {
        return Long.MAX_VALUE;
    }

    @Override
    public long confirmOffset() {
        return confirm;
    }

    private void moveHeld() {
        long now = flushMode == FlushMode.ASYNC ? end : Math.min(end, flushed);
        if (now != held) {
            held = now;
            onHeld.run();
        }
    }
}
