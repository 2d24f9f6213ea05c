package dev.perigee.client.error;

import dev.perigee.loop.Immutable;
import java.io.Serializable;

/**
 * Where a call stood when it failed. Part of the text of every {@link ClientException}.
 *
 * @param address the peer last tried, {@code ip:port}; {@code "-"} when none was asked
 * @param topic the topic concerned; {@code "-"} for calls that concern none
 * @param attempt the number of the last try, counted from 1; 0 when nothing was tried
 * @param remainingMs what was left of the caller's deadline when the call failed, on the monotonic clock; never negative
 */
@Immutable
public record FailureSite(String address, String topic, int attempt, long remainingMs) implements Serializable {
    /** Stands for "no peer" and for "no topic". */
    public static final String NONE = "-";

    public FailureSite {
        if (attempt < 0 || remainingMs < 0) {
            throw new IllegalArgumentException("attempt=" + attempt + " remainingMs=" + remainingMs);
        }
    }

    /** A failure before anybody was asked. */
    public static FailureSite untried(String topic, long remainingMs) {
        return new FailureSite(NONE, topic, 0, remainingMs);
    }

    /** The same place at another time. */
    public FailureSite withRemainingMs(long leftMs) {
        return leftMs == remainingMs ? this : new FailureSite(address, topic, attempt, leftMs);
    }

    /** The same place at a later try. */
    public FailureSite withAttempt(int number) {
        return new FailureSite(address, topic, number, remainingMs);
    }

    @Override
    public String toString() {
        return "address=" + address + " topic=" + topic + " attempt=" + attempt + " remainingMs=" + remainingMs;
    }
}
