package dev.perigee.dist;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** Finds out whether a running server has a folder, by the file that servers lock in it; makes and changes nothing. */
final class FolderUse {
    private static final String LOCK = "lock";
    private static final int MAX_NUMBER_BYTES = 20;

    private FolderUse() {}

    /**
     * Who has the folder: the number of the process, or words where it did not say; empty when nobody has, or nobody can tell. Blocks on
     * the disk.
     */
    static Optional<String> holder(Path folder) {
        try (FileChannel channel =
                FileChannel.open(folder.resolve(LOCK), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return isHeld(channel) ? Optional.of(nameOfHolder(channel)) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // whoever locks it says what is wrong
        }
    }

    private static boolean isHeld(FileChannel channel) throws IOException {
        try (FileLock lock = channel.tryLock()) {
            return lock == null;
        } catch (OverlappingFileLockException e) { // by a server of this process
            return true;
        }
    }

    private static String nameOfHolder(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MAX_NUMBER_BYTES);
        int count = channel.read(bytes, 0);
        String number = count <= 0 ? "" : new String(bytes.array(), 0, count, StandardCharsets.US_ASCII);
        boolean isNumber = !number.isEmpty() && number.chars().allMatch(Character::isDigit);
        return isNumber ? "process " + number : "another process";
    }
}
