package dev.perigee.store.log;

import dev.perigee.loop.OwnedBy;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.FileDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of a commit log opened by a tool: read-only, without a lock, nothing is altered. The log may be Perigee's or
 * one a stock broker wrote, and may be in use.
 */
@OwnedBy("its user")
public final class LogFiles implements LogBytes, AutoCloseable {
    private final List<DiskFile> files = new ArrayList<>();
    private final long startOffset;
    private final int segmentSizeBytes;

    private LogFiles(Disk disk, String prefix, List<String> names) throws IOException {
        this.startOffset = Long.parseLong(names.get(0));
        try {
            for (String name : names) {
                files.add(disk.openRead(prefix + name));
            }
            this.segmentSizeBytes = sizeOf(
                    names.get(0),
                    names.size() > 1
                            ? Long.parseLong(names.get(1)) - startOffset
                            : files.get(0).size());
            checkNames(names);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Opens a log.
     *
     * @param folder the folder of the log's files, or the store's folder that contains it as {@code commitlog}
     * @throws IOException also when there is no log file, or when files are missing in between
     */
    public static LogFiles open(Path folder) throws IOException {
        Path inside = folder.resolve(LogStorage.FOLDER);
        Path path = Files.isDirectory(inside) ? inside : folder;
        return open(new FileDisk(path), "");
    }

    /** Opens the log in a folder of a disk; the root is the empty string. */
    public static LogFiles open(Disk disk, String folder) throws IOException {
        List<String> names = LogNames.of(disk, folder);
        if (names.isEmpty()) {
            throw new IOException("no commit log file (20 digits) in " + disk + "/" + folder);
        }
        return new LogFiles(disk, folder.isEmpty() ? "" : folder + "/", names);
    }

    private static int sizeOf(String name, long sizeBytes) throws IOException {
        if (sizeBytes > Integer.MAX_VALUE) {
            throw new IOException("log file " + name + " would have " + sizeBytes + " bytes, more than "
                    + Integer.MAX_VALUE + ": it is no log file, or files are missing behind it");
        }
        return (int) sizeBytes;
    }

    private void checkNames(List<String> names) throws IOException {
        for (int i = 0; i < names.size(); i++) {
            if (Long.parseLong(names.get(i)) != startOffset + (long) i * segmentSizeBytes) {
                throw new IOException("log file " + names.get(i) + " should begin at offset "
                        + (startOffset + (long) i * segmentSizeBytes) + " for files of " + segmentSizeBytes
                        + " bytes: files are missing or of unequal size");
            }
        }
    }

    @Override
    public int segmentSizeBytes() {
        return segmentSizeBytes;
    }

    @Override
    public long startOffset() {
        return startOffset;
    }

    @Override
    public long roomEnd() {
        return startOffset + (long) files.size() * segmentSizeBytes;
    }

    /** What may be read without passing a short last file. */
    long endOffset() throws IOException {
        long lastStart = roomEnd() - segmentSizeBytes;
        return lastStart
                + Math.min(segmentSizeBytes, files.get(files.size() - 1).size());
    }

    @Override
    public int read(long offset, ByteBuffer target) throws IOException {
        if (offset < startOffset || offset >= roomEnd()) {
            return 0;
        }
        long inLog = offset - startOffset;
        return files.get((int) (inLog / segmentSizeBytes)).read(target, inLog % segmentSizeBytes);
    }

    /** Walks the frames from an offset, which must be the start of a frame; the log's start to see all. */
    public LogScanner scan(long fromOffset) {
        return new LogScanner(this, fromOffset);
    }

    @Override
    public void close() throws IOException {
        for (DiskFile file : files) {
            file.close();
        }
    }
}
