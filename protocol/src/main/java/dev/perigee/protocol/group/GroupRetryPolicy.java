package dev.perigee.protocol.group;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * When a failed message of a group comes again; only stored and shown in this release.
 */
public record GroupRetryPolicy(
        String type,
        @Nullable Map<String, Object> exponentialRetryPolicy,
        @Nullable Map<String, Object> customizedRetryPolicy) {
    public static final GroupRetryPolicy CUSTOMIZED = new GroupRetryPolicy("CUSTOMIZED", null, null);

    public GroupRetryPolicy {
        type = type == null ? "CUSTOMIZED" : type;
    }
}
