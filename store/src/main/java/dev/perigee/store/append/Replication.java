package dev.perigee.store.append;

import dev.perigee.store.epoch.Epoch;
import dev.perigee.store.epoch.MemberFact;
import dev.perigee.store.receive.SenderState;

/** Decides which prefix of the log is confirmed. Called only on the log loop; must not block. */
public interface Replication {
    /** Whether this node may append now. Once it may not, all that is pending is completed as of unknown outcome (R2). */
    boolean mayAppend();

    /**
     * Whether this node takes in now what another one wrote. Never while it may append. What waits when it may not is refused.
     */
    boolean mayReceive();

    /**
     * Whether bytes of that session are written now; asked right before each write, so that what a sender of an earlier time still
     * sends, or sent before and waited here, is refused.
     */
    default boolean mayReceive(long session) {
        return mayReceive();
    }

    /** Whether the log is cut now as that session orders; asked right before. */
    default boolean mayCut(long session, long endOffset) {
        return mayReceive(session);
    }

    /** Whether this node follows, in all of this run, another one that writes the log. */
    default boolean follows() {
        return false;
    }

    /**
     * The number of the epoch that begins when this node may append, if that is later than the one which follows the last in the log. Asked
     * when the epoch begins.
     */
    default int epochToBegin() {
        return 0;
    }

    /** Who has what this node confirms. */
    enum Holders {
        /** That is not known yet: as far as the log tells of an earlier run. */
        UNKNOWN,
        /** This node, and perhaps nobody else. */
        ALONE,
        /** Others as well. */
        OTHERS
    }

    /**
     * Who has what this node confirms, or is about to confirm. Where it may be nobody else, that is kept beside the log, durably, before
     * {@link #keptAlone} says so: should this node follow another one later, that one cannot know of it.
     */
    default Holders holders() {
        return Holders.UNKNOWN;
    }

    /**
     * Whether a start would find that this node may have confirmed its whole log alone; before each {@link #advance}, and where
     * {@link #holders} says so from the start, before the log is recovered.
     */
    default void keptAlone(boolean kept) {}

    /** The log was recovered and ends here, durably, in this generation; called once, before anything is appended. */
    void recovered(long generation, long endOffset);

    /**
     * How many offsets of each queue the epoch that begins leaves out, for others may have been given away and lost (R23).
     *
     * @param recovered as many as recovery asked for, of the first epoch of this run; 0 of later ones
     */
    default long queueOffsetGap(long recovered) {
        return recovered;
    }

    /** An epoch of this node has begun: what says so is written up to here, not necessarily durable. Before it is {@link #appended}. */
    default void epochBegun(Epoch epoch, long endOffset) {}

    /**
     * The log says who belongs to the group; written here or received. Before the end that passes it is told by {@link #appended} or
     * {@link #received}; what a start finds is in its report instead.
     */
    default void membersFound(MemberFact fact) {}

    /** The log now ends here, not necessarily durable. */
    void appended(long endOffset);

    /**
     * Bytes of a sender are written, and the log now ends here, not necessarily durable. Also for a heartbeat, which moved
     * nothing; and always after all bytes the sender sent before.
     *
     * @param sender what it said with the last of them
     */
    void received(SenderState sender, long endOffset);

    /**
     * The log was cut, durably, and ends here in a new generation: completions of an older one do not count any more (R1).
     * Never below the confirm offset.
     */
    void truncated(long generation, long endOffset);

    /** Bytes below the offset are durable. A completion of an older generation than the last cut is dropped (R1). */
    void flushed(long generation, long endOffset);

    /** Time passes: elections, heartbeats. */
    void tick(long nowMs);

    /** When {@link #tick} wants to be called, monotonic milliseconds; {@link Long#MAX_VALUE} for never. */
    long nextTickMs();

    /** Decides anew what is confirmed, by what is known now; before each {@link #confirmOffset} of a pass. */
    default void advance() {}

    /** The byte after the confirmed prefix (exclusive), as decided last; never falls. */
    long confirmOffset();

    /** What is said of a client's unit below the confirm offset that waited: whether as many copies exist as are asked for. */
    default AppendResult confirmed(long endOffset) {
        return AppendResult.APPENDED;
    }

    /** What is said of a client's unit that waited for as long as it may. */
    default AppendResult overdue(long endOffset) {
        return AppendResult.FLUSH_TIMEOUT;
    }

    /**
     * How long a unit may wait after its append.
     *
     * @param flushTimeoutMs what the settings give to the flush alone
     */
    default long patienceMs(long endOffset, long flushTimeoutMs) {
        return flushTimeoutMs;
    }

    /** Why nothing of a client is appended now although this node may append; {@link AppendResult#APPENDED} for no reason. */
    default AppendResult admission() {
        return AppendResult.APPENDED;
    }

    /** The same of what this node itself wants appended, the facts of its duties among it; they come again. */
    default AppendResult ownAdmission() {
        return AppendResult.APPENDED;
    }
}
