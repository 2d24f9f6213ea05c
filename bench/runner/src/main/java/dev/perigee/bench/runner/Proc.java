package dev.perigee.bench.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel says about a process that this program did not start as a JVM of its own. */
final class Proc {
    /** Linux counts /proc times in hundredths of a second on every platform Java runs on. */
    private static final long MILLIS_PER_TICK = 10;

    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;

    private Proc() {}

    /** User and system time used so far, in milliseconds. */
    static long cpuMs(long pid) throws IOException {
        String stat = Files.readString(file(pid, "stat"));
        // The second field is the command in brackets and may hold blanks; counting starts behind it.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME])) * MILLIS_PER_TICK;
    }

    /** Resident memory in kilobytes. */
    static long residentKb(long pid) throws IOException {
        return Files.readAllLines(file(pid, "status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")))
                .findFirst()
                .orElseThrow(() -> new IOException("process " + pid + " has no resident memory"));
    }

    private static Path file(long pid, String name) {
        return Path.of("/proc", Long.toString(pid), name);
    }
}
