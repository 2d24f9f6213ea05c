package dev.perigee.store.append;

/** Decides which prefix of the log is confirmed. Called only on the log loop; must not block. */
public interface Replication {
    /** Whether this node may append now. */
    boolean mayAppend();

    /** The log was recovered and ends here, durably, in this generation; called once, before anything is appended. */
    void recovered(long generation, long endOffset);

    /** The log now ends here, not necessarily durable. */
    void appended(long endOffset);

    /** Bytes below the offset are durable. A completion of an older generation than the last cut is dropped (R1). */
    void flushed(long generation, long endOffset);

    /** Time passes: elections, heartbeats. */
    void tick(long nowMs);

    /** When {@link #tick} wants to be called, monotonic milliseconds; {@link Long#MAX_VALUE} for never. */
    long nextTickMs();

    /** The byte after the confirmed prefix (exclusive); never falls. */
    long confirmOffset();
}
