package dev.perigee.faults.machine;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file that takes all the room a file system has. */
final class Ballast {
    private static final String NAME = "ballast";
    /** What the file system itself needs to note such a large file. */
    private static final long MARGIN_BYTES = 1 << 20;

    private static final int BLOCK_BYTES = 4096;

    private Ballast() {}

    static void fill(Path volume) throws IOException {
        Path ballast = volume.resolve(NAME);
        long free = Files.getFileStore(volume).getUsableSpace() - MARGIN_BYTES;
        if (free > 0) {
            Command.run("fallocate", "-l", Long.toString(free), ballast.toString());
        }
        byte[] block = new byte[BLOCK_BYTES];
        try (OutputStream rest = Files.newOutputStream(volume.resolve(NAME + "-rest"))) {
            for (long written = 0; written < 2 * MARGIN_BYTES; written += BLOCK_BYTES) {
                rest.write(block);
            }
        } catch (IOException full) {
            return; // as it should be
        }
        throw new IOException(volume + " has still room");
    }

    /** For good: otherwise it would be there again after a loss of power. */
    static void remove(Path volume) throws IOException {
        Files.deleteIfExists(volume.resolve(NAME));
        Files.deleteIfExists(volume.resolve(NAME + "-rest"));
        try (FileChannel folder = FileChannel.open(volume)) {
            folder.force(true);
        }
    }
}
