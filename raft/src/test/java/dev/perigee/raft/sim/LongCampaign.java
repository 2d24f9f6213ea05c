package dev.perigee.raft.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs seeds nobody tried before: a hundred of ten virtual seconds of faults, one of ten virtual minutes, and so on. Each adds a line to one of
 * two files, and what is started again goes on behind their last lines. A seed that breaks is written down, and the next one runs.
 */
final class LongCampaign {
    private static final long SHORT_MS = 11_500; // ten seconds before anything may be lost
    private static final long LONG_MS = 600_000;
    private static final int SHORTS_TO_A_LONG = 100;
    private static final long FIRST_SHORT = 4_000_000;
    private static final long FIRST_LONG = 1_600_000_000;
    private static final Pattern FIGURE = Pattern.compile("([A-Za-z_]+)[=:](\\d+)");
    private static final String BROKEN = " broken ";

    private final Path shorts;
    private final Path longs;
    private int broken;

    LongCampaign(Path folder) throws IOException {
        Files.createDirectories(folder);
        shorts = folder.resolve("raft-groups.txt");
        longs = folder.resolve("raft-groups-long.txt");
    }

    /**
     * Runs until so many minutes have passed, or so many short seeds are in the file.
     *
     * @return how many seeds broke
     */
    int run(long minutes, long seeds) throws IOException {
        long endNs = System.nanoTime() + Duration.ofMinutes(minutes).toNanos();
        long done = lines(shorts);
        long doneLong = lines(longs);
        do {
            if (doneLong < done / SHORTS_TO_A_LONG) {
                add(longs, FIRST_LONG + doneLong++, LONG_MS);
            } else {
                add(shorts, FIRST_SHORT + done++, SHORT_MS);
            }
        } while (System.nanoTime() < endNs && (done < seeds || doneLong < seeds / SHORTS_TO_A_LONG));
        return broken;
    }

    private static long lines(Path file) throws IOException {
        if (!Files.exists(file)) {
            return 0;
        }
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        }
    }

    private void add(Path file, long seed, long faultsMs) throws IOException {
        Files.writeString(file, lineOf(seed, faultsMs) + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private String lineOf(long seed, long faultsMs) {
        String start = "seed=" + seed + " faultsMs=" + faultsMs;
        try {
            GroupRun.Result result = new GroupRun(seed, faultsMs).run();
            return start + " holds mixed=" + (result.isMixed() ? 1 : 0) + " tenthsWithChanges="
                    + result.tenthsWithChanges() + " virtualMs=" + result.virtualMs() + " steps="
                    + result.steps() + " elections=" + result.elections() + " acknowledged=" + result.acknowledged()
                    + " possibleLoss=" + (result.loss() ? 1 : 0) + " "
                    + result.events().entrySet().stream()
                            .map(event -> event.getKey() + ":" + event.getValue())
                            .collect(Collectors.joining(","));
        } catch (RuntimeException e) {
            broken++;
            return start + BROKEN + String.valueOf(e.getMessage()).replace('\n', ' ');
        }
    }

    /** What a file of results comes to; every seed that broke by itself. */
    static String sum(Path file) throws IOException {
        List<String> all = Files.readAllLines(file);
        Map<String, Long> figures = new TreeMap<>();
        for (String line : all) {
            if (!line.contains(BROKEN)) {
                FIGURE.matcher(line.substring(line.indexOf(" holds ")))
                        .results()
                        .forEach(figure -> add(figures, figure));
            }
        }
        return file.getFileName() + ": " + all.size() + " seeds " + figures
                + all.stream()
                        .filter(line -> line.contains(BROKEN))
                        .map(line -> "\n" + line)
                        .collect(Collectors.joining());
    }

    private static void add(Map<String, Long> figures, MatchResult figure) {
        figures.merge(figure.group(1), Long.parseLong(figure.group(2)), Long::sum);
    }
}
