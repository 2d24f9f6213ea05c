package dev.perigee.store.view;

import dev.perigee.store.disk.Disk;
import java.io.DataOutput;
import java.io.IOException;

/**
 * The state of a view at one offset, on its way to the disk. Made by {@link LogView#freeze} on the view loop, used by the
 * preparer afterwards, so it holds nothing the view still changes.
 */
public interface ViewImage {
    /**
     * Makes files the state speaks of durable, a few at a time.
     *
     * @return whether there is more to do
     */
    default boolean forceSome(Disk disk) throws IOException {
        return false;
    }

    /** Writes the state, as {@link LogView#restore} reads it. */
    void write(DataOutput target) throws IOException;

    /** The checkpoint is durable: removes, a few at a time, files that no checkpoint speaks of any more. */
    default boolean cleanSome(Disk disk) throws IOException {
        return false;
    }
}
