package dev.perigee.faults.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** A file system in memory: it can be full, but it has no power to lose. */
record TmpfsVolume(Path path, String reason) implements Volume {
    static TmpfsVolume create(Path mountPoint, long sizeBytes, String reason) throws IOException {
        Files.createDirectories(mountPoint);
        Command.run("mount", "-t", "tmpfs", "-o", "size=" + sizeBytes, "tmpfs", mountPoint.toString());
        return new TmpfsVolume(mountPoint, reason);
    }

    @Override
    public String description() {
        return "tmpfs: " + reason;
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(Ability.FILL);
    }

    @Override
    public void fill() throws IOException {
        Ballast.fill(path);
    }

    @Override
    public void makeRoom() throws IOException {
        Ballast.remove(path);
    }

    @Override
    public void losePower() {
        throw new UnsupportedOperationException(description());
    }

    @Override
    public void regainPower() {
        throw new UnsupportedOperationException(description());
    }

    @Override
    public void close() {
        Command.attempt("umount", path.toString());
    }
}
