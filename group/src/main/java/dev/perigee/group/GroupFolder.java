package dev.perigee.group;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.raft.Vote;
import dev.perigee.replica.follow.Restoring;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.LogStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Whose data folder it is: the file {@code group}, one line {@code cluster/group/id}, written behind the first vote, of term 0. A folder that is of
 * another group, of another member, or of a broker in no group, is not begun with.
 */
@ThreadSafe
public final class GroupFolder {
    /** The file's name. */
    public static final String FILE = "group";

    private static final int MAX_BYTES = 1_024;

    private GroupFolder() {}

    /**
     * Takes a folder for a member. Blocks; before its log is opened.
     *
     * @throws IOException naming both, when it is another one's or that of a broker in no group; when its vote is gone; when it cannot be
     *     read
     */
    static void claim(Disk disk, GroupConfig config) throws IOException {
        String self = config.cluster() + "/" + config.group() + "/" + config.selfId();
        String owner = owner(disk);
        boolean hasVote = disk.exists(VoteFile.FILE);
        if (owner.isEmpty()) {
            if (!hasVote) {
                requireNoLog(disk, self);
                new VoteFile(disk).write(Vote.NONE); // so that one that is missing later was removed
            }
            disk.replace(FILE, ByteBuffer.wrap((self + "\n").getBytes(StandardCharsets.UTF_8)));
        } else if (!owner.equals(self)) {
            throw new IOException("the data folder is of " + owner + " (file " + FILE + "), and this broker is " + self
                    + ": use the folder of that one, or an empty one");
        } else if (!hasVote) {
            throw new IOException("the data folder is of " + owner + " (file " + FILE + "), but file " + VoteFile.FILE
                    + " is missing: a node that guesses may vote twice; take it out of its group and add it anew, with an"
                    + " empty folder");
        }
    }

    private static void requireNoLog(Disk disk, String self) throws IOException {
        if (!disk.list(LogStorage.FOLDER).isEmpty()) {
            throw new IOException("the data folder is of a broker in no group (folder " + LogStorage.FOLDER
                    + " without file " + VoteFile.FILE + "), and this broker is " + self
                    + ": what its log holds the others do not have; use an empty folder");
        }
    }

    /**
     * Of a broker in no group. Blocks; before its log is opened.
     *
     * @param self how it calls itself
     * @throws IOException naming both, when the folder is of a member of a group
     */
    public static void requireOfNoGroup(Disk disk, String self) throws IOException {
        String owner = owner(disk);
        if (!owner.isEmpty() || disk.exists(VoteFile.FILE)) {
            throw new IOException("the data folder is of " + (owner.isEmpty() ? "a member of a group" : owner)
                    + (owner.isEmpty() ? " (file " + VoteFile.FILE : " (file " + FILE) + "), and this broker is " + self
                    + ", in no group (enableDLegerCommitLog=false): what it wrote there its group would not know");
        }
    }

    /**
     * Of a folder whose log a leader fills anew: it does not say who the members are, so the settings must name others than this one.
     *
     * @throws IOException when they do not
     */
    static void requireOthers(GroupConfig config) throws IOException {
        if (config.peers().size() == 1) {
            throw new IOException("the log of this folder is being filled by the leader of its group (file "
                    + Restoring.FILE + "), and dLegerPeers=" + config.peers().get(0)
                    + " names no other member: it would begin a group of its own");
        }
    }

    private static String owner(Disk disk) throws IOException {
        if (!disk.exists(FILE)) {
            return "";
        }
        ByteBuffer bytes = ByteBuffer.allocate(MAX_BYTES);
        try (DiskFile file = disk.openRead(FILE)) {
            file.read(bytes, 0);
        }
        String text = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
        if (!text.endsWith("\n") || text.isBlank()) {
            throw new IOException("file " + FILE + " is damaged: '" + text.strip() + "', wanted cluster/group/id");
        }
        return text.strip();
    }
}
