package dev.perigee.raft.script;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The scenarios as files: what stands there, and what comes of it. */
final class Scenarios {
    private static final Path FOLDER = Path.of("src/test/resources/scenarios");

    private Scenarios() {}

    /** All of them, in order. */
    static List<Path> all() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
    }

    /** A scenario with what comes of it now; comments and empty lines stay where they are. */
    static String play(Path scenario) throws IOException {
        Stage stage = new Stage();
        List<String> played = new ArrayList<>();
        for (String line : Files.readAllLines(scenario)) {
            if (line.startsWith("> ")) {
                played.add(line);
                played.addAll(stage.carryOut(line.substring(2)));
            } else if (line.isEmpty() || line.startsWith("#")) {
                played.add(line);
            }
        }
        return String.join("\n", played) + "\n";
    }
}
