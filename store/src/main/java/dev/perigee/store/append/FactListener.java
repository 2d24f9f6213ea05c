package dev.perigee.store.append;

/** Told once how the append of a fact ended. */
@FunctionalInterface
public interface FactListener {
    /**
     * Called on the log loop, or on the appending thread when refused at once. Must not block or throw.
     *
     * @param endOffset the byte after the fact (what to wait for until views have applied it), −1 when not appended
     */
    void completed(AppendResult result, long endOffset);
}
