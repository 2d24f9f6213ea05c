package dev.perigee.protocol.property;

import org.jspecify.annotations.Nullable;

/** The number that stands for a tag in consume queues and subscriptions: the Java hash of its text. */
public final class TagHash {
    /** The hash of "no tag". */
    public static final int NONE = 0;

    private TagHash() {}

    /** The hash of a tag; {@link #NONE} for null and for the empty text. A tag may have that hash by chance, too. */
    public static int of(@Nullable String tag) {
        return tag == null || tag.isEmpty() ? NONE : tag.hashCode();
    }
}
