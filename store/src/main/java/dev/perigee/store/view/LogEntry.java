package dev.perigee.store.view;

import org.jspecify.annotations.Nullable;

/** One confirmed frame as a view sees it. A flyweight: valid only during {@link LogView#apply}. */
public interface LogEntry {
    /** Where the frame lies in the log. */
    long offset();

    int sizeBytes();

    /** The byte after it (exclusive). */
    default long endOffset() {
        return offset() + sizeBytes();
    }

    long storeTimestampMs();

    String topic();

    int queueId();

    long queueOffset();

    /** The hash of the tag as consume queues hold it; 0 without one. */
    long tagHash();

    int sysFlag();

    /** The value of a property, or null. */
    @Nullable
    String property(String key);
}
