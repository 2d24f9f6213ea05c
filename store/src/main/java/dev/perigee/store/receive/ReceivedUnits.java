package dev.perigee.store.receive;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.epoch.EpochTable;
import java.util.Map;

/**
 * Bytes that were found to be whole sound units for a place.
 *
 * @param frameBytes how many of them are frames, from the first on
 * @param endsWithBlank whether a blank follows them, so that the log goes on in the next segment
 * @param endOffset where the log ends with them
 * @param epochs of the log with them
 * @param storeTimestampMs the time of the last frame; 0 without one
 * @param facts the facts in them, each by the position in the buffer where its frame begins
 */
@Immutable
public record ReceivedUnits(
        int frameBytes,
        boolean endsWithBlank,
        long endOffset,
        EpochTable epochs,
        long storeTimestampMs,
        Map<Integer, Fact> facts) {}
