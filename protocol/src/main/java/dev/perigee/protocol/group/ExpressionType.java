package dev.perigee.protocol.group;

import org.jspecify.annotations.Nullable;

/** The names of the filter languages. */
public final class ExpressionType {
    public static final String TAG = "TAG";
    public static final String SQL92 = "SQL92";

    private ExpressionType() {}

    /** Whether the type means tags: {@code TAG}, nothing, or null. */
    public static boolean isTag(@Nullable String type) {
        return type == null || type.isEmpty() || type.equals(TAG);
    }
}
