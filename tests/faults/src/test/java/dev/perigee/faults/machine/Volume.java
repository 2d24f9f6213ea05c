package dev.perigee.faults.machine;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/** The disk of one node, as large as a test needs, so that it can be filled, and cut off from its power if it is a real file system. */
public interface Volume extends AutoCloseable {
    /** What a volume can be made to suffer. */
    enum Ability {
        FILL,
        LOSE_POWER
    }

    /** The best this machine allows: a file system in a file, otherwise one in memory, otherwise a folder that has no faults. */
    static Volume create(RigName rig, Path parent, String part, long sizeBytes) throws IOException {
        Path mountPoint = parent.toAbsolutePath().resolve(rig.of(part));
        try {
            return LoopVolume.create(mountPoint, sizeBytes);
        } catch (IOException e) {
            String reason = "no loop device (" + String.valueOf(e.getMessage()).strip() + ")";
            try {
                return TmpfsVolume.create(mountPoint, sizeBytes, reason);
            } catch (IOException noMounts) {
                return Folder.create(mountPoint, reason + " and no mounts");
            }
        }
    }

    /** What it is, in a phrase for the report. */
    String description();

    /** What it can be made to suffer; the other calls throw {@link UnsupportedOperationException}. */
    Set<Ability> abilities();

    /** The folder to use. */
    Path path();

    /** Leaves no room. */
    void fill() throws IOException;

    /** Takes back {@link #fill}. */
    void makeRoom() throws IOException;

    /** From now on nothing reaches the disk, and what was not synced is gone. The processes that use it must be killed next. */
    void losePower() throws IOException;

    /** Takes back {@link #losePower}: what was synced is there again. No process may use it. */
    void regainPower() throws IOException;

    /** Takes it away with all that is on it. */
    @Override
    void close();
}
