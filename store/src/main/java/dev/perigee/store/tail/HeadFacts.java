package dev.perigee.store.tail;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.message.FrameCheck;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.LogNames;
import dev.perigee.store.log.LogStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the first frame of a log says about it. A different local setting of the segment size is ignored (R30).
 *
 * @param logId the log's name; 0 when there is no log or its head is unreadable
 * @param segmentSizeBytes the size of its files
 */
@Immutable
public record HeadFacts(long logId, int segmentSizeBytes) {
    /** A head is smaller than this. */
    private static final int MAX_HEAD_BYTES = 64 * 1024;

    /**
     * Reads the first frame of the oldest file. Blocks.
     *
     * @param wantedSegmentBytes what the settings say; counts only where neither head nor files tell it
     * @throws IOException when the disk cannot be read, or the log has a sound first frame that is no head
     */
    public static HeadFacts read(Disk disk, int wantedSegmentBytes) throws IOException {
        Optional<String> oldest = LogNames.oldestFile(disk);
        if (oldest.isEmpty()) {
            return new HeadFacts(0, wantedSegmentBytes);
        }
        ByteBuffer bytes = ByteBuffer.allocate(MAX_HEAD_BYTES);
        try (DiskFile file = disk.openRead(oldest.get())) {
            file.read(bytes, 0);
        }
        bytes.flip();
        if (!FrameCheck.of(bytes, 0, bytes.limit(), true).isSound()) {
            return new HeadFacts(0, LogNames.segmentSize(disk, wantedSegmentBytes));
        }
        return parse(bytes);
    }

    /**
     * Whether a folder holds any byte of a log: files that were prepared, by a start that ended before it had one, hold none. Blocks.
     *
     * @throws IOException when the disk cannot be read
     */
    public static boolean isAnyByteIn(Disk disk) throws IOException {
        for (String name : disk.list(LogStorage.FOLDER)) {
            ByteBuffer size = ByteBuffer.allocate(Integer.BYTES);
            try (DiskFile file = disk.openRead(LogStorage.FOLDER + "/" + name)) {
                file.read(size, 0);
            }
            if (size.getInt(0) != 0) {
                return true; // nearly always of the first file
            }
        }
        return false;
    }

    private static HeadFacts parse(ByteBuffer bytes) throws IOException {
        try {
            Fact fact = FactCodec.decode(new MessageFrame().wrap(bytes, 0));
            if (fact instanceof LogHead head) {
                return new HeadFacts(
                        Long.parseUnsignedLong(head.logId(), 16), Math.toIntExact(head.segmentSizeBytes()));
            }
            throw new IOException("the log does not begin with a head: it was not written by Perigee");
        } catch (BadBodyException | NumberFormatException | ArithmeticException e) {
            throw new IOException("the head of the log is unreadable", e);
        }
    }
}
