package dev.perigee.protocol.header.query;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of QUERY_MESSAGE (12).
 *
 * @param uniqueKey whether {@code key} is a message's unique key
 * @param indexType of clients of 5.5: {@code K} keys, {@code U} unique key, {@code T} tag
 * @param lastKey of clients of 5.5: where the answer before ended
 */
public record QueryMessageHeader(
        String topic,
        String key,
        int maxNum,
        long beginTimestamp,
        long endTimestamp,
        @Key("_UNIQUE_KEY_QUERY") @DefaultValue("false") boolean uniqueKey,
        @OptionalField @Nullable String indexType,
        @OptionalField @Nullable String lastKey) {
    private static final String UNIQUE = "U";

    /** Whether it is by unique key, said in either way. */
    public boolean isByUniqueKey() {
        return uniqueKey || UNIQUE.equals(indexType);
    }
}
