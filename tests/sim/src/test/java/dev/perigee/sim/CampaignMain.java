package dev.perigee.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The campaign of pairs, or of groups, as a process of its own, which can be given a low priority; or the sum of what campaigns have found so far. */
final class CampaignMain {
    private static final Pattern FIGURE = Pattern.compile("(\\w+)=(\\d+)");
    private static final Pattern FAULT = Pattern.compile("([A-Z_]+):(\\d+)");

    private CampaignMain() {}

    /** An empty folder, for pairs; {@code members} and an empty folder; or {@code sum} and results files. */
    public static void main(String[] args) throws Exception {
        if (args[0].equals("sum")) {
            for (String file : List.of(args).subList(1, args.length)) {
                sum(Path.of(file));
            }
        } else if (args[0].equals("members")) {
            Campaign.ofMembers().run(Files.createDirectories(Path.of(args[1])));
        } else {
            Campaign.ofPairs().run(Files.createDirectories(Path.of(args[0])));
        }
    }

    private static void sum(Path file) throws IOException {
        Map<String, Long> figures = new TreeMap<>();
        Map<String, Long> faults = new TreeMap<>();
        long seeds = 0;
        for (String line : Files.readAllLines(file)) {
            seeds++;
            if (line.contains(" broken ")) {
                System.out.println(line);
                continue;
            }
            FIGURE.matcher(line)
                    .results()
                    .filter(figure -> !figure.group(1).equals("seed"))
                    .forEach(figure -> figures.merge(figure.group(1), Long.parseLong(figure.group(2)), Long::sum));
            FAULT.matcher(line)
                    .results()
                    .forEach(fault -> faults.merge(fault.group(1), Long.parseLong(fault.group(2)), Long::sum));
        }
        System.out.println(file.getFileName() + ": " + seeds + " seeds " + figures + "\nfaults "
                + faults.values().stream().mapToLong(Long::longValue).sum() + " " + faults);
    }
}
