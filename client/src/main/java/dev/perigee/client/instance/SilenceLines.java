package dev.perigee.client.instance;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Says which failed heartbeats get a line in the log: one in {@value #PERIOD_MS} ms for each broker. Every try to reach a broker that
 * takes connections and ends them, as one does that wants TLS, opens a connection and so sends a heartbeat: that is ten a second.
 */
@ThreadSafe
final class SilenceLines {
    static final long PERIOD_MS = 10_000;

    private final Clock clock;
    private final Map<String, Line> last = new HashMap<>();

    /** The last line about a broker, and how many failures came after it. */
    private record Line(long atMs, int failuresSince) {}

    SilenceLines(Clock clock) {
        this.clock = clock;
    }

    /** Counts one more failure. Gives how many a line about it stands for, itself included, or 0 when there is none to be written. */
    synchronized int failed(String address) {
        long nowMs = clock.monotonicMs();
        Line line = last.get(address);
        if (line != null && nowMs - line.atMs() < PERIOD_MS) {
            last.put(address, new Line(line.atMs(), line.failuresSince() + 1));
            return 0;
        }
        last.put(address, new Line(nowMs, 0));
        return line == null ? 1 : line.failuresSince() + 1;
    }

    /** Forgets the brokers that are not among these. */
    synchronized void keepOnly(Set<String> addresses) {
        last.keySet().retainAll(addresses);
    }
}
