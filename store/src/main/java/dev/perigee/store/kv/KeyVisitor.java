package dev.perigee.store.kv;

/** Takes the entries of a walk one by one. */
@FunctionalInterface
public interface KeyVisitor {
    /**
     * One entry.
     *
     * @param key the visitor's own copy, as is the value
     * @return whether the walk goes on
     */
    boolean visit(byte[] key, byte[] value);
}
