package dev.perigee.faults.fault;

import java.io.IOException;

/** Something that happens to a node and can be taken back. Its text says what it is, with its figures. For one thread. */
public interface Fault {
    /** Lets it happen. */
    void start() throws IOException;

    /** What sets it apart from others of its kind, in a word; empty where nothing does. */
    default String shape() {
        return "";
    }

    /** Takes it back; the node need not be well at once. */
    void heal() throws IOException;
}
