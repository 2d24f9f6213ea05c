package dev.perigee.replica.sync;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import dev.perigee.replica.Speed;
import java.util.function.Consumer;

/**
 * What a master knows of one replica in one session: written by the event loop of its connection, read by the log loop. A
 * new session begins without anything held (R5).
 */
@ThreadSafe
public final class ReplicaSlot {
    /** Nothing was said yet. */
    static final long UNKNOWN = -1;

    private final ReplicaSlots.Candidate who;
    private final Consumer<ReplicaSlot> onHeld;
    private volatile long heldOffset = UNKNOWN;
    private volatile long heardMs;
    private volatile boolean connected = true;
    private volatile boolean leaving;
    /** How the log calls it. */
    private volatile String name;
    /** When another process came with its ids first, monotonic milliseconds. */
    private volatile long contestedMs = Long.MAX_VALUE;

    private volatile Lag lag;
    private final Speed speed = new Speed();

    /**
     * How far behind in time it is.
     *
     * @param levelMs when the log ended last where the replica is by now
     * @param markOffset where the log ended when it was looked at last
     * @param markMs when that was
     */
    private record Lag(long levelMs, long markOffset, long markMs) {}

    ReplicaSlot(ReplicaSlots.Candidate who, long heardMs, Consumer<ReplicaSlot> onHeld) {
        this.who = who;
        this.name = "brokerId=" + who.member().brokerId();
        this.heardMs = heardMs;
        this.onHeld = onHeld;
        this.lag = new Lag(heardMs, Long.MAX_VALUE, heardMs);
    }

    /** Of a replica that did not say hello yet. */
    static ReplicaSlot expected(InSyncMember member, long nowMs) {
        ReplicaSlot slot =
                new ReplicaSlot(new ReplicaSlots.Candidate(member, 0, 0, false, "nowhere"), nowMs, held -> {});
        slot.disconnected();
        return slot;
    }

    /** The replica holds everything below an offset; who asked to be told of that is told. Its event loop only. */
    public void held(long endOffset, long nowMs) {
        heldOffset = endOffset;
        heardMs = nowMs;
        onHeld.accept(this);
    }

    /** What is held is compared with where the log ends now. Its event loop only, after {@link #held}. */
    public void compare(long logEndOffset, long nowMs) {
        Lag before = lag;
        long heldNow = heldOffset;
        speed.at(heldNow, nowMs);
        if (heldNow >= logEndOffset) {
            lag = new Lag(nowMs, logEndOffset, nowMs);
        } else if (heldNow >= before.markOffset()) {
            lag = new Lag(before.markMs(), logEndOffset, nowMs);
        } else if (before.markOffset() == Long.MAX_VALUE) {
            lag = new Lag(before.levelMs(), logEndOffset, nowMs);
        }
    }

    /** How long ago the log ended where the replica is by now, at most, milliseconds; 0 while it holds all. Any thread. */
    public long lagMs(long logEndOffset, long nowMs) {
        return heldOffset >= logEndOffset ? 0 : Math.max(0, nowMs - lag.levelMs());
    }

    /** How many bytes a second it came to hold lately. Any thread. */
    public long bytesPerSec(long nowMs) {
        return speed.bytesPerSec(nowMs);
    }

    /**
     * It stops in order: what it holds counts until the set without it does, but nobody is to wait for it; who asked what it holds is
     * told. Its event loop only.
     */
    public void leaves() {
        leaving = true;
        onHeld.accept(this);
    }

    /** Whether it said that it stops. */
    public boolean isLeaving() {
        return leaving;
    }

    /** The connection is gone; what was held stays held. */
    public void disconnected() {
        connected = false;
    }

    /** Sets how the log calls it, {@code key=value}; else by its broker id. Before it is fed. */
    public void name(String keyAndValue) {
        name = keyAndValue;
    }

    /** How the log calls it, {@code key=value}. */
    public String name() {
        return name;
    }

    /** Who it is. */
    public InSyncMember member() {
        return who.member();
    }

    /** The number of its hello. */
    public long session() {
        return who.session();
    }

    /** Whether it may have forgotten what it held (R5): what it holds counts for nothing. */
    public boolean isRestoring() {
        return who.restoring();
    }

    /** The byte after the last one it holds (exclusive); −1 before it said so in this session. */
    public long heldOffset() {
        return heldOffset;
    }

    /** The number of its process. */
    public long run() {
        return who.run();
    }

    /** Where its connection comes from. */
    public String from() {
        return who.from();
    }

    /**
     * Another process came with the same ids. Whether both are there: this one was heard since the other one came first. A process that
     * was killed, whose connection is not known to be gone, is not heard again. Guarded by who calls.
     */
    boolean isHeardAfterContest(long nowMs) {
        contestedMs = Math.min(contestedMs, nowMs);
        return heardMs > contestedMs;
    }

    /** When it was last heard, monotonic milliseconds. */
    public long heardMs() {
        return heardMs;
    }

    /** Whether its connection is open. */
    public boolean isConnected() {
        return connected;
    }
}
