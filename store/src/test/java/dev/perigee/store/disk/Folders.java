package dev.perigee.store.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Deletes what tests have on the machine's own disk. */
public final class Folders {
    private Folders() {}

    /**
     * Deletes a folder with all that is in it. Any thread; waits for the disk.
     *
     * @throws IOException also where there is none
     */
    public static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : deepestFirst) {
            Files.delete(each);
        }
    }
}
