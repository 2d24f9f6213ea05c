package dev.perigee.store.kv;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Changes to a {@link ViewStore} that are made together, in the order in which they were added: a later one wins. It keeps
 * the arrays it is given. How much goes into one is up to the view, which asks {@link #sizeBytes}.
 */
@OwnedBy("view loop")
public final class ViewBatch {
    private static final byte[] NO_BYTES = {};

    private final List<Change> changes = new ArrayList<>();
    private long sizeBytes;

    /** Where a batch goes to. */
    interface Target {
        void put(byte[] key, byte[] value) throws IOException;

        void delete(byte[] key) throws IOException;

        void deleteRange(byte[] from, byte[] to) throws IOException;
    }

    private enum Kind {
        PUT,
        DELETE,
        DELETE_RANGE
    }

    private static final class Change {
        final Kind kind;
        final byte[] key;
        /** The value of a put, the end of a range. */
        final byte[] other;

        Change(Kind kind, byte[] key, byte[] other) {
            this.kind = kind;
            this.key = key;
            this.other = other;
        }
    }

    /** Sets the value of a key. */
    public ViewBatch put(byte[] key, byte[] value) {
        return add(Kind.PUT, key, value);
    }

    /** Removes a key, whether or not it is there. */
    public ViewBatch delete(byte[] key) {
        return add(Kind.DELETE, key, NO_BYTES);
    }

    /** Removes the keys from {@code from} (inclusive) to {@code to} (exclusive); none when {@code to} is not above {@code from}. */
    public ViewBatch deleteRange(byte[] from, byte[] to) {
        return Arrays.compareUnsigned(from, to) < 0 ? add(Kind.DELETE_RANGE, from, to) : this;
    }

    private ViewBatch add(Kind kind, byte[] key, byte[] other) {
        if (key.length == 0 || Arrays.equals(key, PositionEntry.KEY)) {
            throw new IllegalArgumentException("key " + Arrays.toString(key) + " is empty or the store's own "
                    + Arrays.toString(PositionEntry.KEY));
        }
        changes.add(new Change(kind, key, other));
        sizeBytes += key.length + other.length;
        return this;
    }

    /** How many changes it holds. */
    public int count() {
        return changes.size();
    }

    /** The bytes of all its keys and values. */
    public long sizeBytes() {
        return sizeBytes;
    }

    void replay(Target target) throws IOException {
        for (Change change : changes) {
            switch (change.kind) {
                case PUT -> target.put(change.key, change.other);
                case DELETE -> target.delete(change.key);
                case DELETE_RANGE -> target.deleteRange(change.key, change.other);
            }
        }
    }
}
