package dev.perigee.faults.machine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The wall clock of one process, moved by the library libfaketime, which stands between the JVM and the system. The monotonic clock stays as
 * it is: that is what a step of the machine's clock does too. (A time namespace of the kernel would not do: it shifts the monotonic clock
 * only.) Where the library is not installed nothing is ever shifted.
 */
public final class NodeClock {
    private static final Optional<Path> LIBRARY = List.of("x86_64-linux-gnu", "aarch64-linux-gnu").stream()
            .map(platform -> Path.of("/usr/lib", platform, "faketime", "libfaketimeMT.so.1"))
            .filter(Files::exists)
            .findFirst();
    /** How often the library looks into its file. */
    private static final int LOOK_SECONDS = 1;

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final Path file;

    private NodeClock(Path file) {
        this.file = file;
    }

    /** A clock that is right, for a process that lives in that folder. */
    public static NodeClock create(Path folder) throws IOException {
        NodeClock clock = new NodeClock(folder.toAbsolutePath().resolve("clock"));
        clock.shift(Duration.ZERO);
        return clock;
    }

    /** Whether clocks can be shifted on this machine. */
    public static boolean canShift() {
        return LIBRARY.isPresent();
    }

    /** In a phrase for the report. */
    public static String description() {
        return canShift()
                ? "wall clocks shifted by libfaketime"
                : "clocks cannot be shifted, libfaketime is not installed";
    }

    /** What a command is to begin with so that its process has this clock, see {@code JavaCommand.runBy}. */
    public List<String> runner() {
        return LIBRARY.map(library -> List.of(
                        "env",
                        "LD_PRELOAD=" + library,
                        "FAKETIME_TIMESTAMP_FILE=" + file,
                        "FAKETIME_CACHE_DURATION=" + LOOK_SECONDS,
                        "FAKETIME_DONT_FAKE_MONOTONIC=1",
                        // Otherwise every timed wait of the JVM ends at once, and its threads spin.
                        "FAKETIME_FORCE_MONOTONIC_FIX=0",
                        "NO_FAKE_STAT=1"))
                .orElse(List.of());
    }

    /** Takes away what the library of a killed process leaves in shared memory, where another process of that number would trip over it. */
    public static void forget(long pid) throws IOException {
        Files.deleteIfExists(SHARED_MEMORY.resolve("faketime_shm_" + pid));
        Files.deleteIfExists(SHARED_MEMORY.resolve("sem.faketime_sem_" + pid));
    }

    /** From a second from now on the clock is that far off. */
    public void shift(Duration offset) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.writeString(next, "%+d%n".formatted(offset.toSeconds()));
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
