package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.Vote;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The file that keeps a node's term and vote, beside the folder of its log: the bytes are {@link Vote#encode}'s. */
@ThreadSafe
public final class VoteFile {
    /** Its name. */
    public static final String FILE = "vote";

    /** A whole one is smaller. */
    private static final int MAX_BYTES = 4096;

    private final Disk disk;

    public VoteFile(Disk disk) {
        this.disk = disk;
    }

    /**
     * What the node took part in so far. Blocks.
     *
     * @param end where the log ends: whoever wrote that had a vote before (R36)
     * @return {@link Vote#NONE} of a folder that has neither
     * @throws IOException when the disk cannot be read; also when the file is damaged, is missing beside a log, or is older than that: a
     *     node that guesses may vote twice
     */
    public Vote read(LogEnd end) throws IOException {
        if (!disk.exists(FILE)) {
            if (end.isEmpty()) {
                return Vote.NONE;
            }
            throw new IOException("file " + FILE + " is missing beside a log that ends in epoch " + end.epoch()
                    + ": the log is of a broker that was in no group, or the file was removed");
        }
        Vote vote = decode();
        if (vote.term() < end.epoch()) {
            throw new IOException("file " + FILE + " is of term " + vote.term() + ", but the log ends in epoch "
                    + end.epoch() + ": one of them was put back from elsewhere");
        }
        return vote;
    }

    private Vote decode() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
        try (DiskFile file = disk.openRead(FILE)) {
            file.read(bytes, 0);
        }
        try {
            return Vote.decode(bytes.flip());
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "file " + FILE + " is damaged (" + e.getMessage()
                            + "): a node that guesses may vote twice; take it out of its group and add it anew, with an empty folder",
                    e);
        }
    }

    /** Replaces the file, durably (R36). Blocks. */
    public void write(Vote vote) throws IOException {
        disk.replace(FILE, vote.encode());
    }
}
