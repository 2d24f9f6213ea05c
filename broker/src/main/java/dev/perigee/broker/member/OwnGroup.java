package dev.perigee.broker.member;

import dev.perigee.loop.ThreadSafe;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * By what members know that a request was handed over within their group: another group may have come to where a member was, even one of
 * the same name.
 *
 * @param name of the group
 * @param logId names the log that its members have in common, as of now; empty while this member's is empty
 */
@ThreadSafe
public record OwnGroup(String name, Supplier<Optional<String>> logId) {
    /**
     * Whether who says this of its group may be of this one; what it does not say, or this member does not know yet, is not held against it.
     *
     * @param otherName null when it says none
     * @param otherLogId null when it says none
     */
    boolean mayBe(@Nullable String otherName, @Nullable String otherLogId) {
        return (otherName == null || otherName.equals(name))
                && (otherLogId == null || logId.get().map(otherLogId::equals).orElse(true));
    }
}
