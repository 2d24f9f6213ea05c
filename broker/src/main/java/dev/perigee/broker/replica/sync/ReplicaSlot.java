package dev.perigee.broker.replica.sync;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.ReplicasInSync.InSyncMember;
import java.util.function.Consumer;

/**
 * What a master knows of one replica in one session: written by the event loop of its connection, read by the log loop. A
 * new session begins without anything held (R5).
 */
@ThreadSafe
public final class ReplicaSlot {
    /** Nothing was said yet. */
    static final long UNKNOWN = -1;

    private final InSyncMember member;
    private final long session;
    private final Consumer<ReplicaSlot> onHeld;
    private volatile long heldOffset = UNKNOWN;
    private volatile long heardMs;
    private volatile boolean connected = true;

    ReplicaSlot(InSyncMember member, long session, long heardMs, Consumer<ReplicaSlot> onHeld) {
        this.member = member;
        this.session = session;
        this.heardMs = heardMs;
        this.onHeld = onHeld;
    }

    /** Of a replica that did not say hello yet. */
    static ReplicaSlot expected(InSyncMember member, long nowMs) {
        ReplicaSlot slot = new ReplicaSlot(member, 0, nowMs, held -> {});
        slot.disconnected();
        return slot;
    }

    /** The replica holds everything below an offset; who asked to be told of that is told. Its event loop only. */
    public void held(long endOffset, long nowMs) {
        heldOffset = endOffset;
        heardMs = nowMs;
        onHeld.accept(this);
    }

    /** The connection is gone; what was held stays held. */
    public void disconnected() {
        connected = false;
    }

    /** Who it is. */
    public InSyncMember member() {
        return member;
    }

    /** The number of its hello. */
    public long session() {
        return session;
    }

    /** The byte after the last one it holds (exclusive); −1 before it said so in this session. */
    public long heldOffset() {
        return heldOffset;
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
