package dev.perigee.harness.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes what a run leaves behind. */
public final class Folders {
    private Folders() {}

    /**
     * Deletes a folder with all that is in it; does nothing when there is none. Any thread; waits for the disk.
     *
     * @throws IOException when something in it cannot be deleted, or comes to it meanwhile
     */
    public static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        List<Path> doomed;
        try (Stream<Path> walk = Files.walk(folder)) {
            doomed = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : doomed) {
            Files.deleteIfExists(path);
        }
    }
}
