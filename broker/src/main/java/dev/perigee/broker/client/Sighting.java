package dev.perigee.broker.client;

import dev.perigee.loop.Immutable;
import dev.perigee.remoting.Connection;
import org.jspecify.annotations.Nullable;

/**
 * A client that has just been heard of.
 *
 * @param order its place among all sightings: a later one has a higher number
 * @param clientId what it calls itself
 * @param connection where it was heard
 * @param language the name of its language
 * @param version its release number
 * @param fingerprint the hash of its subscriptions, 0 when it sends none
 * @param confirmedEnd the end of everything confirmed in the log when it was heard
 * @param nowMs monotonic milliseconds
 * @param wallMs wall milliseconds
 */
@Immutable
public record Sighting(
        long order,
        String clientId,
        Connection connection,
        @Nullable String language,
        int version,
        int fingerprint,
        long confirmedEnd,
        long nowMs,
        long wallMs) {}
