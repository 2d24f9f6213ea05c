package dev.perigee.protocol.header.query;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;

/**
 * Header of QUERY_MESSAGE (12).
 */
public record QueryMessageHeader(
        String topic,
        String key,
        int maxNum,
        long beginTimestamp,
        long endTimestamp,
        @Key("_UNIQUE_KEY_QUERY") @DefaultValue("false") boolean uniqueKey) {}
