package dev.perigee.store.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Folders on the machine's own disk that something else fills as it likes: a library, or a whole broker. */
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
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : deepestFirst) {
            Files.deleteIfExists(each);
        }
    }
}
