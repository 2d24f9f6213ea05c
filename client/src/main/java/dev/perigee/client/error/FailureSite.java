package dev.perigee.client.error;

import dev.perigee.loop.Immutable;

/**
 * Where a call stood when it failed. Part of the text of every {@link ClientException}.
 *
 * @param address the peer last tried, {@code ip:port}; {@code "-"} when none was reached
 * @param topic the topic concerned; {@code "-"} for calls that concern none
 * @param attempt the number of the last try, counted from 1; 0 when nothing was tried
 * @param remainingMs what was left of the caller's deadline; never negative
 */
@Immutable
public record FailureSite(String address, String topic, int attempt, long remainingMs) {
    /** No peer, no topic, no attempt: a failure found before anything was sent. */
    public static final FailureSite NOWHERE = new FailureSite("-", "-", 0, 0);

    public FailureSite {
        if (attempt < 0 || remainingMs < 0) {
            throw new IllegalArgumentException("attempt=" + attempt + " remainingMs=" + remainingMs);
        }
    }

    /** A failure about a topic before anything was sent. */
    public static FailureSite ofTopic(String topic) {
        return new FailureSite("-", topic, 0, 0);
    }

    @Override
    public String toString() {
        return "address=" + address + " topic=" + topic + " attempt=" + attempt + " remainingMs=" + remainingMs;
    }
}
