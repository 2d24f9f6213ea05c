package dev.perigee.store.view;

import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that keeps a view's state between two runs. A cache: whatever is wrong with it makes it absent, and the log is
 * replayed.
 *
 * <pre>
 * 0       4         8          10     n        n+8     n+12     n+20        end-4
 * | magic | version | name size | name | log id | epoch | offset | state ... | CRC-32C of all before |
 * </pre>
 *
 * <p>Written to a temporary name, forced, renamed, and the folder synced, so that there is always a whole one or none.
 */
public final class CheckpointFile {
    /** Its name in the view's folder; no topic may be called so. */
    public static final String NAME = "view.checkpoint";

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointFile.class);
    private static final String NEW_NAME = "view.checkpoint.new";
    private static final int MAGIC = 0x50475643;
    private static final int VERSION = 1;
    private static final int CRC_BYTES = 4;

    /** Writes the state of a view. */
    @FunctionalInterface
    interface StateWriter {
        void write(DataOutput target) throws IOException;
    }

    /** A checkpoint as read: its state, from the first byte after the position. */
    record Loaded(LogPosition position, DataInputStream state) {}

    private CheckpointFile() {}

    /** Replaces the checkpoint in a folder, durably. Blocks. */
    static void write(Disk disk, String folder, String view, LogPosition position, StateWriter state)
            throws IOException {
        disk.makeFolder(folder);
        String temporary = folder + "/" + NEW_NAME;
        try (DiskFile file = disk.open(temporary)) {
            file.resize(0);
            CheckedFile target = new CheckedFile(file);
            DataOutputStream out = new DataOutputStream(target);
            out.writeInt(MAGIC);
            out.writeInt(VERSION);
            out.writeUTF(view);
            out.writeLong(position.logId());
            out.writeInt(position.epoch());
            out.writeLong(position.offset());
            state.write(out);
            out.writeInt(target.crc());
            out.flush();
            file.force();
        }
        disk.rename(temporary, folder + "/" + NAME);
        disk.syncFolder(folder);
        disk.syncFolder("");
    }

    /**
     * How far all of some views are durable, before they are opened. Blocks.
     *
     * @param logId the log's name; 0 when its first frame cannot tell, then checkpoints of any log count
     * @return the lowest offset; −1 when one has no usable checkpoint of this log, or one of the log when it was empty
     */
    public static long lowestOffset(Disk disk, List<String> views, long logId) {
        long lowest = Long.MAX_VALUE;
        for (String view : views) {
            try {
                Optional<LogPosition> position = read(disk, view, view).map(Loaded::position);
                lowest = Math.min(
                        lowest,
                        position.filter(p -> logId == 0 || p.logId() == logId)
                                .filter(p -> p.epoch() != 0)
                                .map(LogPosition::offset)
                                .orElse(-1L));
            } catch (IOException e) {
                LOG.warn("event=checkpoint_unusable view={}", view, e);
                return -1;
            }
        }
        return lowest == Long.MAX_VALUE ? -1 : lowest;
    }

    /**
     * How far the farthest of some views is durable, before they are opened: what a view has applied was confirmed. Blocks.
     *
     * @param logId the log's name; checkpoints of another log, and damaged ones, count nothing
     * @return −1 when there is none
     */
    public static long highestOffset(Disk disk, List<String> views, long logId) {
        long highest = -1;
        for (String view : views) {
            try {
                highest = Math.max(
                        highest,
                        read(disk, view, view)
                                .map(Loaded::position)
                                .filter(position -> position.logId() == logId)
                                .map(LogPosition::offset)
                                .orElse(-1L));
            } catch (IOException e) {
                LOG.warn("event=checkpoint_unusable view={}", view, e);
            }
        }
        return highest;
    }

    /**
     * Reads the checkpoint of a view. Blocks.
     *
     * @return empty when there is none
     * @throws IOException when it is damaged, or not of this view or version
     */
    static Optional<Loaded> read(Disk disk, String folder, String view) throws IOException {
        String name = folder + "/" + NAME;
        if (!disk.exists(name)) {
            return Optional.empty();
        }
        byte[] bytes = readAll(disk, name);
        int stateEnd = bytes.length - CRC_BYTES;
        if (stateEnd < 0) {
            throw new IOException("checkpoint " + name + " has only " + bytes.length + " bytes");
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, stateEnd);
        int stored = ByteBuffer.wrap(bytes).getInt(stateEnd);
        if ((int) crc.getValue() != stored) {
            throw new IOException("checkpoint " + name + " of " + bytes.length + " bytes has a wrong checksum");
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, 0, stateEnd));
        int magic = in.readInt();
        int version = in.readInt();
        if (magic != MAGIC || version != VERSION) {
            throw new IOException("checkpoint " + name + " has magic " + Integer.toHexString(magic) + " and version "
                    + version + " instead of " + VERSION);
        }
        String owner = in.readUTF();
        if (!owner.equals(view)) {
            throw new IOException("checkpoint " + name + " is of view " + owner);
        }
        LogPosition position = new LogPosition(in.readLong(), in.readInt(), in.readLong());
        return Optional.of(new Loaded(position, in));
    }

    private static byte[] readAll(Disk disk, String name) throws IOException {
        try (DiskFile file = disk.openRead(name)) {
            byte[] bytes = new byte[Math.toIntExact(file.size())];
            int count = file.read(ByteBuffer.wrap(bytes), 0);
            if (count < bytes.length) {
                throw new IOException(
                        "checkpoint " + name + " ended after " + count + " of " + bytes.length + " bytes");
            }
            return bytes;
        }
    }

    /** Removes the checkpoints of all views, durably, so that each is rebuilt from the log. The store is closed. Blocks. */
    public static void deleteAll(Disk disk) throws IOException {
        for (String folder : disk.list("")) {
            if (disk.exists(folder + "/" + NAME)) {
                delete(disk, folder);
                disk.syncFolder(folder);
            }
        }
    }

    /** Removes the checkpoint of a folder; a temporary one, too. Blocks. */
    static void delete(Disk disk, String folder) throws IOException {
        disk.delete(folder + "/" + NAME);
        disk.delete(folder + "/" + NEW_NAME);
    }

    /** Appends to a file in large writes and sums up what went through. */
    private static final class CheckedFile extends OutputStream {
        private static final int BUFFER_BYTES = 64 * 1024;

        private final DiskFile file;
        private final byte[] buffer = new byte[BUFFER_BYTES];
        private final CRC32C crc = new CRC32C();
        private int count;
        private long position;

        CheckedFile(DiskFile file) {
            this.file = file;
        }

        int crc() {
            crc.update(buffer, 0, count);
            int value = (int) crc.getValue();
            crc.reset();
            return value;
        }

        @Override
        public void write(int b) throws IOException {
            if (count == buffer.length) {
                spill();
            }
            buffer[count++] = (byte) b;
        }

        @Override
        public void write(byte[] source, int from, int length) throws IOException {
            int at = from;
            int left = length;
            while (left > 0) {
                if (count == buffer.length) {
                    spill();
                }
                int run = Math.min(left, buffer.length - count);
                System.arraycopy(source, at, buffer, count, run);
                count += run;
                at += run;
                left -= run;
            }
        }

        private void spill() throws IOException {
            crc.update(buffer, 0, count);
            flush();
        }

        @Override
        public void flush() throws IOException {
            file.write(ByteBuffer.wrap(buffer, 0, count), position);
            position += count;
            count = 0;
        }
    }
}
