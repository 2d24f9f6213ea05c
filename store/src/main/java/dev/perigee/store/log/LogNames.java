package dev.perigee.store.log;

import dev.perigee.store.disk.Disk;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The names of the log's files: 20 decimal digits, the log offset of the first byte. What they tell without an open log. */
public final class LogNames {
    private static final int DIGITS = 20;
    private static final int PAGE_BYTES = 4096;
    /** A file that began later would end beyond what an offset can tell. */
    private static final String LAST_NAME = digits(Long.MAX_VALUE - Integer.MAX_VALUE);

    private LogNames() {}

    /**
     * The names in a folder, oldest first; other files in it are not ours and ignored.
     *
     * @throws IOException when a name is no offset although it has as many digits as one
     */
    static List<String> of(Disk disk, String folder) throws IOException {
        List<String> names = disk.list(folder).stream()
                .filter(name -> name.length() == DIGITS && name.chars().allMatch(c -> c >= '0' && c <= '9'))
                .toList();
        String last = names.isEmpty() ? "" : names.get(names.size() - 1);
        if (last.compareTo(LAST_NAME) > 0) {
            throw new IOException(
                    "file " + last + " in the log's folder is none of the log: its name is no offset up to " + LAST_NAME
                            + "; move it away");
        }
        return names;
    }

    /** The file, with its folder, that begins at an offset. */
    public static String fileName(long startOffset) {
        return LogStorage.FOLDER + "/" + digits(startOffset);
    }

    private static String digits(long startOffset) {
        String digits = Long.toString(startOffset);
        return "0".repeat(DIGITS - digits.length()) + digits;
    }

    /**
     * The size of the files of the log on this disk.
     *
     * @return the size shown by the names or the length of the oldest file, or what is wanted when there is none yet
     */
    public static int segmentSize(Disk disk, int wantedBytes) throws IOException {
        List<String> names = of(disk, LogStorage.FOLDER);
        if (names.isEmpty()) {
            return wantedBytes;
        }
        if (names.size() >= 2) {
            long distance = Long.parseLong(names.get(1)) - Long.parseLong(names.get(0));
            if (isPlausible(distance)) {
                return (int) distance;
            }
        }
        try (var file = disk.openRead(LogStorage.FOLDER + "/" + names.get(0))) {
            long size = file.size();
            return isPlausible(size) ? (int) size : wantedBytes;
        }
    }

    private static boolean isPlausible(long sizeBytes) {
        return sizeBytes >= PAGE_BYTES && sizeBytes <= Integer.MAX_VALUE && sizeBytes % PAGE_BYTES == 0;
    }

    /** The oldest file of the log on this disk. */
    public static Optional<String> oldestFile(Disk disk) throws IOException {
        return of(disk, LogStorage.FOLDER).stream().findFirst().map(name -> LogStorage.FOLDER + "/" + name);
    }
}
