package dev.perigee.client.query;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.IncompleteSearchException;
import dev.perigee.loop.Immutable;
import org.jspecify.annotations.Nullable;

/**
 * A broker of which not everything is known to have been seen.
 *
 * @param brokerName its name
 * @param why what happened, for people
 * @param failure why it was not asked, or did not answer, to the end; null when it answered, but may hold more than was taken
 */
@Immutable
public record Missing(
        String brokerName, String why, @Nullable ClientException failure) {
    static Missing failed(String brokerName, ClientException failure) {
        return new Missing(brokerName, failure.sentence(), failure);
    }

    static Missing mayHoldMore(String brokerName, long timeMs) {
        return new Missing(
                brokerName,
                "may hold more messages than it gives, stored within a second of " + timeMs
                        + " (milliseconds since 1970)",
                null);
    }

    static Missing lacksRoom(String brokerName, long maxBytes) {
        return new Missing(
                brokerName,
                "may hold more messages than one search takes, maxBytes=" + maxBytes
                        + "; ask for fewer, or for a shorter time",
                null);
    }

    /** What the search failed with, to whom this broker is what matters. */
    public ClientException asFailure(String topic) {
        return failure != null
                ? failure
                : new IncompleteSearchException("broker " + brokerName + " " + why, FailureSite.untried(topic, 0));
    }
}
