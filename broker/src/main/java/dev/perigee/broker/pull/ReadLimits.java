package dev.perigee.broker.pull;

import dev.perigee.broker.config.ReadSettings;
import dev.perigee.loop.Immutable;

/**
 * How much one pull may return.
 *
 * @param count messages
 * @param sizeBytes bytes; the first message is returned whatever its size
 */
@Immutable
record ReadLimits(int count, int sizeBytes) {
    static ReadLimits near(ReadSettings settings, int askedCount) {
        return new ReadLimits(Math.min(askedCount, settings.maxCountNear()), settings.maxBytesNear());
    }

    static ReadLimits far(ReadSettings settings, int askedCount) {
        return new ReadLimits(Math.min(askedCount, settings.maxCountFar()), settings.maxBytesFar());
    }
}
