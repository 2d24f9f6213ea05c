package dev.perigee.protocol.header.query;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of VIEW_MESSAGE_BY_ID (33).
 *
 * @param offset physical offset
 */
public record ViewMessageHeader(@OptionalField @Nullable String topic, long offset) {}
