package dev.perigee.namesrv.kv;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * A small file that is only ever replaced as a whole: a change writes a new file, forces it to disk and renames it over the
 * old one, so that a crash leaves one of the two.
 */
public final class WholeFile {
    private WholeFile() {}

    /** Replaces the file, or makes it with its folder. Blocks until the bytes are on disk. */
    public static void replace(Path file, byte[] bytes) throws IOException {
        Path target = file.toAbsolutePath();
        Path draft = target.resolveSibling(target.getFileName() + ".new");
        Path folder = target.getParent();
        Files.createDirectories(folder);
        try (FileChannel channel = FileChannel.open(
                draft, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
            channel.force(true);
        }
        Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel directory = FileChannel.open(folder)) {
            directory.force(true);
        }
    }
}
