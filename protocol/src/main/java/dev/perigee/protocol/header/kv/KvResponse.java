package dev.perigee.protocol.header.kv;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Answer header of GET_KV_CONFIG (101).
 */
public record KvResponse(@OptionalField @Nullable String value) {}
