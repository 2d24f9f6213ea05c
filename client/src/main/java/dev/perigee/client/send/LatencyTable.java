package dev.perigee.client.send;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * How long each broker is avoided after a slow or failed send: the 5.x latency classes. A broker is <em>available</em>
 * when its penalty is over, and <em>reachable</em> unless its last answer was a refusal.
 */
@ThreadSafe
final class LatencyTable {
    /** A failed try counts as this slow. */
    static final long ISOLATION_LATENCY_MS = 10_000;

    private static final long[] LATENCY_FROM_MS = {50, 100, 550, 1_800, 3_000, 5_000, 15_000};
    private static final long[] AVOID_FOR_MS = {0, 0, 2_000, 5_000, 6_000, 10_000, 30_000};

    private record State(long avoidUntilMs, boolean reachable) {}

    private final Clock clock;
    private final ConcurrentMap<String, State> states = new ConcurrentHashMap<>();

    LatencyTable(Clock clock) {
        this.clock = clock;
    }

    /** A send was answered after this time. */
    void answered(String brokerName, long latencyMs) {
        long avoidForMs = avoidForMs(latencyMs);
        if (avoidForMs == 0) {
            if (!states.isEmpty()) {
                states.remove(brokerName);
            }
            return;
        }
        put(brokerName, avoidForMs, true);
    }

    /** The connection failed or no answer came. */
    void failed(String brokerName) {
        put(brokerName, avoidForMs(ISOLATION_LATENCY_MS), true);
    }

    /** The broker answered with an error. */
    void refused(String brokerName) {
        put(brokerName, avoidForMs(ISOLATION_LATENCY_MS), false);
    }

    boolean isAvailable(String brokerName) {
        State state = states.get(brokerName);
        return state == null || clock.monotonicMs() >= state.avoidUntilMs;
    }

    boolean isReachable(String brokerName) {
        State state = states.get(brokerName);
        return state == null || state.reachable;
    }

    private void put(String brokerName, long avoidForMs, boolean reachable) {
        states.put(brokerName, new State(clock.monotonicMs() + avoidForMs, reachable));
    }

    /** The penalty of the largest class whose lower bound the latency reaches. */
    static long avoidForMs(long latencyMs) {
        for (int i = LATENCY_FROM_MS.length - 1; i >= 0; i--) {
            if (latencyMs >= LATENCY_FROM_MS[i]) {
                return AVOID_FOR_MS[i];
            }
        }
        return 0;
    }
}
