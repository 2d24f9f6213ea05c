package dev.perigee.store.kv;

import java.io.IOException;

/** Where the views of one broker keep their stores. Thread-safe; one store of a view is open at a time. */
public interface ViewStores {
    /**
     * Opens the store of a view, and makes it when there is none. Waits for the disk.
     *
     * @param view the view's name, of small letters and digits
     * @throws IOException when it is open already, damaged, or cannot be kept on this machine
     */
    ViewStore open(String view) throws IOException;

    /**
     * Finds out, before anything is to be kept, whether stores can be opened here at all, and gets ready what that takes, so
     * that {@link #open} later fails for no reason of the machine. May take some 100 ms; waits for the disk. An {@code open}
     * meanwhile waits for it.
     *
     * @throws IOException when they cannot; one line that says why, on which machine, and what helps
     */
    default void check() throws IOException {}

    /** Whether a view has a store, of whatever state. */
    boolean exists(String view) throws IOException;

    /** Removes the store of a view without reading it; does nothing when there is none. It must not be open. */
    void remove(String view) throws IOException;
}
