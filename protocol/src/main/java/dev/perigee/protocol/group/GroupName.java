package dev.perigee.protocol.group;

import dev.perigee.protocol.topic.TopicName;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What may be a group name, and the groups that always exist. */
public final class GroupName {
    public static final int MAX_LENGTH = 120;
    public static final String TOOLS_CONSUMER = "TOOLS_CONSUMER";
    public static final String INNER_PRODUCER = "CLIENT_INNER_PRODUCER";
    public static final String SYSTEM_PREFIX = "CID_RMQ_SYS_";
    /** The groups every broker knows from the start. */
    public static final Set<String> PREDEFINED = Set.of(
            TOOLS_CONSUMER,
            "SELF_TEST_C_GROUP",
            "FILTERSRV_CONSUMER",
            "CID_ONS-HTTP-PROXY",
            "CID_ONSAPI_PERMISSION",
            "CID_ONSAPI_OWNER",
            "CID_ONSAPI_PULL",
            "CID_RMQ_SYS_TRANS");

    private GroupName() {}

    /** Why this cannot be a group name, in a sentence that names value and limit; null when it can. */
    public static @Nullable String problem(@Nullable String group) {
        if (group == null || group.isBlank()) {
            return "the group is blank";
        }
        if (group.length() > MAX_LENGTH) {
            return "the group has " + group.length() + " characters, limit " + MAX_LENGTH + ": "
                    + group.substring(0, MAX_LENGTH) + "…";
        }
        return TopicName.isAllowed(group)
                ? null
                : "the group[" + group + "] contains illegal characters, allowing only " + TopicName.ALLOWED;
    }

    /** Whether the group belongs to the broker itself. */
    public static boolean isSystem(String group) {
        return PREDEFINED.contains(group) || group.startsWith(SYSTEM_PREFIX);
    }
}
