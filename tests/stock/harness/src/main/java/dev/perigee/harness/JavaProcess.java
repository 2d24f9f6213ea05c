package dev.perigee.harness;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A JVM we started. It never outlives this one: a shutdown hook kills it, and it watches its stdin for a death the hook cannot see. */
public final class JavaProcess implements AutoCloseable {
    private static final Duration STOP = Duration.ofSeconds(60);
    /** Linux counts /proc times in hundredths of a second on every platform Java runs on. */
    private static final long MILLIS_PER_TICK = 10;

    private static final int USER_TIME = 11;
    private static final int SYSTEM_TIME = 12;

    private static final Set<Process> LIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> LIVE.forEach(Process::destroyForcibly), "kill-peers"));
    }

    private final String name;
    private final Process process;
    private final Path out;
    private final Path err;

    JavaProcess(String name, Process process, Path out, Path err) {
        this.name = name;
        this.process = process;
        this.out = out;
        this.err = err;
        LIVE.removeIf(known -> !known.isAlive());
        LIVE.add(process);
    }

    /** Its process id. */
    public long pid() {
        return process.pid();
    }

    /** Whether it still runs. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** What it wrote to stdout so far, unless it speaks a protocol there. */
    public String stdout() {
        return text(out);
    }

    /** What it wrote to stderr so far. */
    public String stderr() {
        return text(err);
    }

    OutputStream stdin() {
        return process.getOutputStream();
    }

    InputStream answers() {
        return process.getInputStream();
    }

    /** Waits for it to end by itself. */
    public int awaitExit(Duration patience) {
        if (!endsWithin(patience)) {
            kill();
            throw new IllegalStateException(name + " did not end within " + patience + "\n" + stdout() + stderr());
        }
        return process.exitValue();
    }

    /** Asks it to end (SIGTERM); returns at once. */
    public void terminate() {
        process.toHandle().destroy();
    }

    /**
     * Asks it to end, as a service stop does (SIGTERM), and kills it when it does not. Its stdin stays open, whose end would tell
     * its guard that this process is gone, and halt it in the middle of its clean stop.
     */
    public void stop() {
        terminate();
        if (!endsWithin(STOP)) {
            kill();
        }
    }

    /** Kills it without warning (SIGKILL) and waits until it is gone. */
    public void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Stops it from running, without its knowledge (SIGSTOP). */
    public void suspend() throws IOException {
        signal("STOP");
    }

    /** Lets it run on (SIGCONT). */
    public void resume() throws IOException {
        signal("CONT");
    }

    /** Does nothing when it is gone. */
    private void signal(String signal) throws IOException {
        if (isAlive()) {
            new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pid())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .onExit()
                    .join();
        }
    }

    private boolean endsWithin(Duration patience) {
        process.onExit()
                .completeOnTimeout(process, patience.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        return !process.isAlive();
    }

    /** User and system time used so far, in milliseconds. */
    public long cpuMillis() throws IOException {
        String stat = Files.readString(proc("stat"));
        // The second field is the command in brackets and may hold blanks; counting starts behind it.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME])) * MILLIS_PER_TICK;
    }

    /** Resident memory in kilobytes. */
    public long residentKb() throws IOException {
        return Files.readAllLines(proc("status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")))
                .findFirst()
                .orElse(0);
    }

    private Path proc(String file) {
        return Path.of("/proc", Long.toString(pid()), file);
    }

    private static String text(Path file) {
        try {
            return Files.exists(file) ? new String(Files.readAllBytes(file), StandardCharsets.UTF_8) : "";
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Same as {@link #stop}. */
    @Override
    public void close() {
        stop();
    }

    @Override
    public String toString() {
        return name + "[" + pid() + "]";
    }
}
