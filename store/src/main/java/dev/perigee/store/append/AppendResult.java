package dev.perigee.store.append;

/** How an append ended. Those of which {@link #isStored} left offsets in the request. */
public enum AppendResult {
    /** Stored as the flush mode asks, or merely appended when the request does not wait. */
    APPENDED,
    /** Appended, and visible once confirmed, but not known durable within syncFlushTimeoutMs. */
    FLUSH_TIMEOUT,
    /** Appended and confirmed by this node, but replicas that are in sync did not say in time that they have it. */
    SLAVE_TIMEOUT,
    /** Appended and confirmed by this node, while fewer replicas are in sync than are asked for. */
    SLAVE_NOT_AVAILABLE,
    /** Not appended: fewer replicas are in sync than it takes to append at all. Try again later. */
    TOO_FEW_REPLICAS,
    /** Not appended: the inbox or the chunk memory is full. Try again later. */
    BUSY,
    /** Not appended: waited in front of the log for longer than its sender waits. Try again later. */
    EXPIRED,
    /** Not appended: free space is below the threshold. Reads go on; writing resumes by itself. */
    DISK_FULL,
    /** Not appended: files of the consume queues or the key index cannot be written. Reads go on; writing resumes by itself. */
    VIEWS_HELD_UP,
    /** Not appended: the unit is larger than a segment or the store's limit takes. */
    TOO_LARGE,
    /** Not appended: the topic's deletion is the last thing the log says about it. */
    TOPIC_DELETED,
    /** Not appended: the store is closed, closing, has failed, or this node may not append. */
    NOT_WRITABLE,
    /** Appended, then the log failed or this node lost the right to append: may or may not survive. */
    OUTCOME_UNKNOWN;

    /** Whether the unit has its place in the log, be it confirmed or not. */
    public boolean isStored() {
        return this == APPENDED || this == FLUSH_TIMEOUT || this == SLAVE_TIMEOUT || this == SLAVE_NOT_AVAILABLE;
    }
}
