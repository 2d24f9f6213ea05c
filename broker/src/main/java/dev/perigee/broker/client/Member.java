package dev.perigee.broker.client;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Connection;
import org.jspecify.annotations.Nullable;

/** One client of a group, on one connection. Only the times of its last heartbeat change. */
@ThreadSafe
public final class Member {
    private final String clientId;
    private final Connection connection;
    private final @Nullable String language;
    private final int version;
    private final int fingerprint;
    private final long order;
    private volatile long seenMs;
    private volatile long seenWallMs;

    Member(Sighting sighting) {
        this.clientId = sighting.clientId();
        this.connection = sighting.connection();
        this.language = sighting.language();
        this.version = sighting.version();
        this.fingerprint = sighting.fingerprint();
        this.order = sighting.order();
        seenAgain(sighting);
    }

    /** The same member as this sighting describes it; it was heard of no earlier than before. */
    Member described(Sighting sighting) {
        Member next = new Member(sighting);
        if (seenMs > next.seenMs) {
            next.seenMs = seenMs;
            next.seenWallMs = seenWallMs;
        }
        return next;
    }

    /** The name it gives itself; unique in its group. */
    public String clientId() {
        return clientId;
    }

    /** The connection it is on. */
    public Connection connection() {
        return connection;
    }

    /** The language it says it is written in, by its name on the wire. */
    public @Nullable String language() {
        return language;
    }

    /** Its release number. */
    public int version() {
        return version;
    }

    /** Wall time of its last heartbeat, for display. */
    public long seenWallMs() {
        return seenWallMs;
    }

    /** The place of the sighting that described it. */
    long order() {
        return order;
    }

    int fingerprint() {
        return fingerprint;
    }

    long seenMs() {
        return seenMs;
    }

    void seenAgain(Sighting sighting) {
        seenMs = sighting.nowMs();
        seenWallMs = sighting.wallMs();
    }
}
