package dev.perigee.faults.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** A folder of the machine's own disk, which nothing is done to. */
record Folder(Path path, String reason) implements Volume {
    static Folder create(Path path, String reason) throws IOException {
        return new Folder(Files.createDirectories(path), reason);
    }

    @Override
    public String description() {
        return "a folder: " + reason;
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.noneOf(Ability.class);
    }

    @Override
    public void fill() {
        throw new UnsupportedOperationException(description());
    }

    @Override
    public void makeRoom() {
        throw new UnsupportedOperationException(description());
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
        // the folder above belongs to the test
    }
}
