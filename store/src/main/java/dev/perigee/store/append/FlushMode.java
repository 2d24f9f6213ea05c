package dev.perigee.store.append;

/** When an append counts as done. */
public enum FlushMode {
    /** After the bytes are on the disk (fdatasync), with group commit. The default. */
    SYNC,
    /** After the bytes are handed to the operating system; they reach the disk at most 500 ms later. */
    ASYNC
}
