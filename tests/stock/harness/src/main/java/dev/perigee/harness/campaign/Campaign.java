package dev.perigee.harness.campaign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * Runs of one kind, one after the other, each with a seed of its own and a line in a results file. A campaign that was broken
 * off goes on where it was: the seed of a run is the number of lines there are. System properties set it:
 *
 * <ul>
 *   <li>{@code soak.runSeconds}: length of one run, 300 unless set
 *   <li>{@code soak.minutes}: a further run begins while the campaign is younger than this, 30 unless set; at least one run
 *   <li>{@code soak.results}: folder of the results files, {@code target/soak} of the module unless set
 * </ul>
 */
public final class Campaign {
    private final Path folder;
    private final Path results;
    private final Duration runLength;
    private final long endNs;
    private boolean hasRun;

    private Campaign(Path folder, String name, Duration runLength, Duration length) {
        this.folder = folder;
        this.results = folder.resolve(name + ".jsonl");
        this.runLength = runLength;
        this.endNs = System.nanoTime() + length.toNanos();
    }

    /** The campaign of that name, as the system properties say. */
    public static Campaign ofSettings(String name) throws IOException {
        Path folder = Files.createDirectories(
                Path.of(System.getProperty("soak.results", "target/soak")).toAbsolutePath());
        return new Campaign(
                folder,
                name,
                Duration.ofSeconds(Long.getLong("soak.runSeconds", 300)),
                Duration.ofMinutes(Long.getLong("soak.minutes", 30)));
    }

    /** Whether a further run may begin. */
    public boolean hasTime() {
        return !hasRun || System.nanoTime() < endNs;
    }

    /** Where the results file is; exists. */
    public Path folder() {
        return folder;
    }

    /** How long the load of one run lasts. */
    public Duration runLength() {
        return runLength;
    }

    /** The seed of the next run, which no run before had. */
    public long nextSeed() throws IOException {
        return lines().size();
    }

    /** What all runs so far showed, those of earlier days too. */
    public List<String> lines() throws IOException {
        return Files.exists(results) ? Files.readAllLines(results) : List.of();
    }

    /** Says what the run showed. */
    public void append(String line) throws IOException {
        Files.writeString(results, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        System.out.println(results + ": " + line);
        hasRun = true;
    }
}
