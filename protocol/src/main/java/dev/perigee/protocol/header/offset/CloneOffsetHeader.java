package dev.perigee.protocol.header.offset;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of CLONE_GROUP_OFFSET (314).
 */
public record CloneOffsetHeader(
        String srcGroup,
        String destGroup,
        @OptionalField @Nullable String topic,
        @DefaultValue("false") boolean offline) {}
