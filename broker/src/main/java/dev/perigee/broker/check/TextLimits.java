package dev.perigee.broker.check;

import org.jspecify.annotations.Nullable;

/** How long texts may be that clients send and the broker keeps. */
public final class TextLimits {
    /** Characters of one subscription expression. A client that wants more tags than fit takes all and filters itself. */
    public static final int MAX_EXPRESSION_LENGTH = 256 << 10;

    /** Tags of one subscription: as many as such an expression can hold. */
    public static final int MAX_TAGS = MAX_EXPRESSION_LENGTH / 3 + 1;

    /** Characters of a name that need not be one of the broker's own: a client id, the name of a broker or of a language. */
    public static final int MAX_NAME_LENGTH = 1_024;

    private TextLimits() {}

    /** Field, value and limit when the text is too long, else null. */
    public static @Nullable String excess(String field, @Nullable String text, int limit) {
        return text == null || text.length() <= limit
                ? null
                : field + " has " + text.length() + " characters, limit " + limit;
    }
}
