package dev.perigee.faults.machine;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * An ext4 file system in a sparse file beside its mount point. It loses power by the kernel's own means for that, the shutdown call of
 * ext4: nothing is written any more, not even the journal, and when it is mounted again it has what had been synced (and of files that had
 * their room already what the kernel had written on its own account; it commits the journal so after five minutes only, not after the usual
 * five seconds).
 */
final class LoopVolume implements Volume {
    private static final String SHUT_DOWN_WITHOUT_LOG =
            "open(F, '<', $ARGV[0]) or die $!; my $f = pack('L', 2); ioctl(F, 0x8004587d, $f) or die $!";

    private static final String OPTIONS = "loop,commit=300";
    /** A minute. */
    private static final int BUSY_TRIES = 600;

    private static final long BETWEEN_TRIES_MS = 100;

    private final Path mountPoint;

    private LoopVolume(Path mountPoint) {
        this.mountPoint = mountPoint;
    }

    static Path imageOf(Path mountPoint) {
        return mountPoint.resolveSibling(mountPoint.getFileName() + ".img");
    }

    static LoopVolume create(Path mountPoint, long sizeBytes) throws IOException {
        LoopVolume volume = new LoopVolume(mountPoint);
        Files.createDirectories(mountPoint);
        try (RandomAccessFile image = new RandomAccessFile(imageOf(mountPoint).toFile(), "rw")) {
            image.setLength(sizeBytes);
        }
        try {
            Command.run("mkfs.ext4", "-q", "-F", "-m", "0", imageOf(mountPoint).toString());
            volume.mount();
            return volume;
        } catch (IOException e) {
            Files.deleteIfExists(imageOf(mountPoint));
            throw e;
        }
    }

    private void mount() throws IOException {
        Command.run("mount", "-o", OPTIONS, imageOf(mountPoint).toString(), mountPoint.toString());
    }

    @Override
    public String description() {
        return "ext4 on a loop device, loses what was not synced when its power is cut";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.allOf(Ability.class);
    }

    @Override
    public Path path() {
        return mountPoint;
    }

    @Override
    public void fill() throws IOException {
        Ballast.fill(mountPoint);
    }

    @Override
    public void makeRoom() throws IOException {
        Ballast.remove(mountPoint);
    }

    @Override
    public void losePower() throws IOException {
        Command.run("perl", "-e", SHUT_DOWN_WITHOUT_LOG, mountPoint.toString());
    }

    @Override
    public void regainPower() throws IOException {
        unmount();
        mount();
    }

    /** The kernel may need a moment to let go of the files of a killed process. */
    private void unmount() throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                Command.run("umount", mountPoint.toString());
                return;
            } catch (IOException busy) {
                if (tries == BUSY_TRIES) {
                    throw busy;
                }
                Moment.afterMs(BETWEEN_TRIES_MS);
            }
        }
    }

    @Override
    public void close() {
        try {
            unmount();
            Files.deleteIfExists(mountPoint);
            Files.deleteIfExists(imageOf(mountPoint));
        } catch (IOException e) {
            System.err.println("faults: " + e.getMessage());
        }
    }
}
