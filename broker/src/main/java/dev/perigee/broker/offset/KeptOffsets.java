package dev.perigee.broker.offset;

import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.CommitLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code kept-offsets} beside the log's folder: what consumers committed to a slave and its master has not got, so that a
 * restart takes none of it back, be it as a slave or as the master. Replaced whole.
 *
 * <pre>
 * | magic 8 "PERIOFF1" | crc32c of the JSON 8 | JSON, see {@link Kept} |
 * </pre>
 *
 * A file that cannot be read is left aside with a warning: consumers then begin some messages too early.
 */
@OwnedBy("preparer")
public final class KeptOffsets {
    /** The file. */
    public static final String FILE = "kept-offsets";

    private static final long MAGIC = 0x504552494f464631L;
    private static final int HEAD_BYTES = 2 * Long.BYTES;
    private static final int MAX_BYTES = 256 << 20;
    private static final Logger LOG = LoggerFactory.getLogger(KeptOffsets.class);

    /**
     * What the file says: {@code {"logId":7,"confirmOffset":4096,"appliedOffset":4096,"entries":[{"g":"group","t":"topic","q":0,"o":12}]}}.
     *
     * @param logId of the log whose queues these are; 0 in a file of an earlier build
     * @param confirmOffset how far that log could be seen when they were within their queues; 0 where it is not said
     * @param appliedOffset how far the views had shown it when the entries were looked through: who was reset behind it was reset later; 0 in a
     *     file of an earlier build
     */
    record Kept(long logId, long confirmOffset, long appliedOffset, List<QueueCommit> entries) {
        private static final Kept NOTHING = new Kept(0, 0, 0, List.of());

        Kept {
            entries = entries == null ? List.of() : entries;
        }

        /** The entries but for those of queues that were reset after they were kept. */
        List<QueueCommit> without(List<OffsetView.Reset> resets) {
            long known = appliedOffset == 0 ? confirmOffset : appliedOffset;
            Set<GroupQueue> undone = resets.stream()
                    .filter(reset -> reset.factOffset() >= known)
                    .map(reset -> new GroupQueue(reset.group(), reset.topic(), reset.queueId()))
                    .collect(Collectors.toSet());
            return entries.stream()
                    .filter(each -> !undone.contains(GroupQueue.of(each)))
                    .toList();
        }
    }

    private final Disk disk;

    public KeptOffsets(Disk disk) {
        this.disk = disk;
    }

    /**
     * Has the commits of a slave go on from what it kept. Where the log can be seen less far than when that was written, as after a kill, offsets
     * are taken as they are: the messages before them come again. Else those that are beyond their queues have lost them, and what was reset
     * after it was kept is gone. Blocks; the views are level with the log, and the loops do not run.
     *
     * @param resets those in what was replayed
     * @throws IOException when the folder cannot be read
     */
    public void goOn(OffsetCommits commits, CommitLog log, List<OffsetView.Reset> resets) throws IOException {
        Kept kept = ofLog(log);
        for (QueueCommit each : kept.without(resets)) {
            if (kept.confirmOffset() > log.confirmOffset()) {
                commits.takeUp(each.group(), each.topic(), each.queueId(), each.offset());
            } else {
                commits.raise(each.group(), each.topic(), each.queueId(), each.offset());
            }
        }
    }

    /** Whether there is a file. Blocks. */
    public boolean exists() throws IOException {
        return disk.exists(FILE);
    }

    /** Lets the file go. Blocks. */
    void remove() throws IOException {
        disk.delete(FILE);
        disk.syncFolder("");
    }

    /** What was kept of this log; nothing of another one. Blocks. */
    Kept ofLog(CommitLog log) throws IOException {
        Kept kept = read();
        if (kept.logId() == 0 || kept.logId() == log.logId()) {
            return kept;
        }
        LOG.warn(
                "event=kept_offsets_of_another_log entries={} logId={} kept={} effect=dropped",
                kept.entries().size(),
                Long.toHexString(log.logId()),
                Long.toHexString(kept.logId()));
        return Kept.NOTHING;
    }

    /** What was kept; nothing when there is no file, or none that can be read. Blocks. */
    Kept read() throws IOException {
        if (!disk.exists(FILE)) {
            return Kept.NOTHING;
        }
        try (DiskFile file = disk.openRead(FILE)) {
            int size = (int) Math.min(MAX_BYTES, file.size());
            ByteBuffer bytes = ByteBuffer.allocate(size);
            file.read(bytes, 0);
            bytes.flip();
            if (bytes.remaining() >= HEAD_BYTES && bytes.getLong() == MAGIC) {
                long sum = bytes.getLong();
                byte[] json = new byte[bytes.remaining()];
                bytes.get(json);
                if (sum == sum(json)) {
                    return Json.read(json, Kept.class);
                }
            }
        } catch (BadBodyException e) {
            LOG.debug("event=kept_offsets_unreadable file={}", FILE, e);
        }
        LOG.warn("event=kept_offsets_unreadable file={} effect=\"consumers may begin too early\"", FILE);
        return Kept.NOTHING;
    }

    /** Keeps these and nothing else; see {@link Kept}. Blocks. */
    void write(Kept kept) throws IOException {
        if (kept.entries().isEmpty()) {
            remove();
            return;
        }
        byte[] json = Json.write(kept);
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + json.length);
        bytes.putLong(MAGIC).putLong(sum(json)).put(json).flip();
        disk.replace(FILE, bytes);
    }

    private static long sum(byte[] json) {
        CRC32C crc = new CRC32C();
        crc.update(json);
        return crc.getValue();
    }
}
