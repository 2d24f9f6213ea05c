package dev.perigee.it;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A disk that begins to refuse under a running broker, and then loses power: a tracer lets calls fail as the kernel would, and how
 * far the log was certainly synced is taken from the calls that did not fail, not from what the broker believes.
 */
enum RefusingDisk {
    EVERY_SYNC_FAILS("fdatasync,fsync:error=EIO:when=%d+"),
    ONE_SYNC_FAILS("fdatasync,fsync:error=EIO:when=%d"),
    READ_ONLY("pwrite64:error=EROFS:when=%d+");

    /** How a thread's call no. n, and with a plus all later ones, fail. */
    private final String rule;

    private static final Pattern LOG_FILE = Pattern.compile("^<.*/commitlog/(\\d{20})>.*$");
    private static final Pattern WRITTEN =
            Pattern.compile("^.*, (\\d+), (\\d+)(?: <unfinished \\.\\.\\.>)?\\) += +(\\d+)$");
    /** What the broker writes ahead of the log's tail. */
    private static final String ZEROS = "\"\\0\\0\\0\\0\\0\\0\\0\\0\"";

    RefusingDisk(String rule) {
        this.rule = rule;
    }

    /** Lets the disk of a process refuse from a thread's call number {@code firstCall} on. */
    Tracer attach(long pid, Path output, int firstCall) throws Exception {
        return Tracer.attach(
                pid,
                output,
                "-y",
                "-s",
                "8",
                "-e",
                "trace=pwrite64,fdatasync,fsync",
                "-e",
                "inject=" + rule.formatted(firstCall));
    }

    /** Whether anything was refused at all. */
    static boolean refused(SystemCalls calls) {
        return calls.all().stream().anyMatch(call -> call.text().endsWith("(INJECTED)"));
    }

    /** The end of the log's bytes that were written before a sync began that succeeded. */
    static long syncedEnd(SystemCalls calls) {
        List<SystemCalls.Call> log = calls.all().stream()
                .filter(call -> LOG_FILE.matcher(call.text()).matches())
                .toList();
        long end = -1;
        for (SystemCalls.Call sync : log) {
            if (sync.name().equals("fdatasync") && sync.text().endsWith("= 0")) {
                end = Math.max(end, writtenBefore(log, sync));
            }
        }
        return end;
    }

    private static long writtenBefore(List<SystemCalls.Call> log, SystemCalls.Call sync) {
        long end = -1;
        for (SystemCalls.Call write : log) {
            Matcher written = WRITTEN.matcher(write.text());
            if (write.name().equals("pwrite64")
                    && write.descriptor() == sync.descriptor()
                    && write.end() < sync.begin()
                    && !write.text().contains(ZEROS)
                    && written.matches()) {
                end = Math.max(
                        end, segmentOf(write) + Long.parseLong(written.group(2)) + Long.parseLong(written.group(3)));
            }
        }
        return end;
    }

    private static long segmentOf(SystemCalls.Call call) {
        Matcher file = LOG_FILE.matcher(call.text());
        if (!file.matches()) {
            throw new IllegalArgumentException("no call on a log file: " + call);
        }
        return Long.parseLong(file.group(1));
    }

    /** The worst a loss of power can leave: zeros where bytes were written and never synced. The log must have one written file. */
    static void dropBehind(Path logFolder, long end) throws IOException {
        try (RandomAccessFile file =
                new RandomAccessFile(logFolder.resolve("0".repeat(20)).toFile(), "rw")) {
            long size = file.length();
            if (end < 0 || end > size) {
                throw new IllegalArgumentException("the synced end " + end + " is not in a file of " + size);
            }
            file.seek(end);
            file.write(new byte[Math.toIntExact(size - end)]);
        }
    }
}
