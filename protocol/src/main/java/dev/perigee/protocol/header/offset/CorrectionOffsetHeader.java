package dev.perigee.protocol.header.offset;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of QUERY_CORRECTION_OFFSET (308).
 */
public record CorrectionOffsetHeader(
        @OptionalField @Nullable String filterGroups, String compareGroup, String topic) {}
