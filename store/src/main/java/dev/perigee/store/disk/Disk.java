package dev.perigee.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A folder tree as the store sees it. Names are relative to the root, parts separated by {@code /}, for instance {@code
 * commitlog/00000000000000000000}.
 *
 * <p>Durability: bytes written to a file survive a power loss only after {@link DiskFile#force()} returned; a created,
 * renamed or deleted name only after {@link #syncFolder} of its folder returned. The simulated disk drops whatever was
 * not made durable so. Thread-safe. All methods may block.
 */
public interface Disk {
    /** Behind the name of a file that {@link #replace} has not finished. */
    String DRAFT_SUFFIX = ".new";

    /** Opens a file for reading and writing; creates it (and missing folders) when it does not exist. */
    DiskFile open(String name) throws IOException;

    /** Opens a file for reading only; {@link java.nio.file.NoSuchFileException} when it does not exist. */
    DiskFile openRead(String name) throws IOException;

    /** Whether there is a file or a folder of this name. */
    boolean exists(String name) throws IOException;

    /** The plain names of the files and folders in a folder, sorted; empty when there is no such folder. */
    List<String> list(String folder) throws IOException;

    /** Creates a folder with its parents; does nothing when it exists. */
    void makeFolder(String folder) throws IOException;

    /** Renames a file, replacing the target. */
    void rename(String from, String to) throws IOException;

    /**
     * Replaces a file whole, durably: written beside it under the name with {@code .new} behind, forced, renamed, and the folder
     * synced, so that a crash leaves the one before or this one. For one writer of a name at a time.
     *
     * @param bytes what it holds from then on, from position to limit
     */
    default void replace(String name, ByteBuffer bytes) throws IOException {
        String draft = name + DRAFT_SUFFIX;
        try (DiskFile file = open(draft)) {
            file.resize(0);
            file.write(bytes, 0);
            file.force();
        }
        rename(draft, name);
        syncFolder(name.substring(0, Math.max(0, name.lastIndexOf('/'))));
    }

    /** Deletes a file or an empty folder; does nothing when there is none of this name. */
    void delete(String name) throws IOException;

    /**
     * Makes the names in a folder durable; the root is the empty string.
     *
     * @throws ForceFailedException when the disk fails it; another failure came before anything was forced
     */
    void syncFolder(String folder) throws IOException;

    /** Bytes that can still be written. */
    long freeBytes() throws IOException;

    /** Bytes the disk holds altogether. */
    long totalBytes() throws IOException;

    /**
     * Locks a name against other processes and other holders in this one.
     *
     * @throws IOException naming the file when somebody else holds it
     */
    DiskLock lock(String name) throws IOException;
}
