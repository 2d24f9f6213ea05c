package dev.perigee.protocol.stats;

import java.util.Map;

/**
 * Body of QUERY_CORRECTION_OFFSET (308).
 */
public record CorrectionOffsets(Map<Integer, Long> correctionOffsets) {
    public CorrectionOffsets {
        correctionOffsets = correctionOffsets == null ? Map.of() : correctionOffsets;
    }
}
