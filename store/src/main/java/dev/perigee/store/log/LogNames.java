package dev.perigee.store.log;

import dev.perigee.store.disk.Disk;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** The names of the log's files: 20 decimal digits, the log offset of the first byte. What they tell without an open log. */
public final class LogNames {
    private static final int DIGITS = 20;
    private static final int PAGE_BYTES = 4096;

    private LogNames() {}

    /** The names in a folder, oldest first; other files in it are not ours and ignored. */
    static List<String> of(Disk disk, String folder) throws IOException {
        return disk.list(folder).stream()
                .filter(name -> name.length() == DIGITS && name.chars().allMatch(c -> c >= '0' && c <= '9'))
                .toList();
    }

    static String fileName(long startOffset) {
        String digits = Long.toString(startOffset);
        return LogStorage.FOLDER + "/" + "0".repeat(DIGITS - digits.length()) + digits;
    }

    /**
     * The size of the files of the log on this disk.
     *
     * @return the size shown by the names or the length of the oldest file, or what is wanted when there is none yet
     */
    public static int segmentSize(Disk disk, int wantedBytes) throws IOException {
        List<String> names = of(disk, LogStorage.FOLDER);
        if (names.size() >= 2) {
            return Math.toIntExact(Long.parseLong(names.get(1)) - Long.parseLong(names.get(0)));
        }
        if (names.isEmpty()) {
            return wantedBytes;
        }
        try (var file = disk.openRead(LogStorage.FOLDER + "/" + names.get(0))) {
            long size = file.size();
            boolean plausible = size >= PAGE_BYTES && size <= Integer.MAX_VALUE && size % PAGE_BYTES == 0;
            return plausible ? (int) size : wantedBytes;
        }
    }

    /** The oldest file of the log on this disk. */
    public static Optional<String> oldestFile(Disk disk) throws IOException {
        return of(disk, LogStorage.FOLDER).stream().findFirst().map(name -> LogStorage.FOLDER + "/" + name);
    }
}
