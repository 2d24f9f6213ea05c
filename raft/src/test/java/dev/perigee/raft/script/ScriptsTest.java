package dev.perigee.raft.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays the scenarios: after each line that begins with {@code >} the text up to the next one is what must come of it. With the
 * environment variable {@code PERIGEE_SCRIPTS_WRITE=true} what comes of it is written there instead, to be reviewed as a diff.
 */
final class ScriptsTest {
    private static final Path FOLDER = Path.of("src/test/resources/scenarios");
    private static final boolean WRITE = "true".equals(System.getenv("PERIGEE_SCRIPTS_WRITE"));
    private static final int FEWEST = 15;

    @ParameterizedTest
    @MethodSource("scenarios")
    void whatComesOfEachLineIsWhatTheScenarioSays(Path scenario) throws IOException {
        String expected = Files.readString(scenario);
        String played = play(expected.lines().toList());
        if (WRITE) {
            Files.writeString(scenario, played);
        }
        assertThat(played).isEqualTo(WRITE ? played : expected);
    }

    @Test
    void allScenariosAreThere() throws IOException {
        assertThat(scenarios().toList()).hasSizeGreaterThanOrEqualTo(FEWEST);
    }

    static Stream<Path> scenarios() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            return files.filter(file -> file.toString().endsWith(".txt")).sorted().toList().stream();
        }
    }

    /** The scenario with what comes of it; comments and empty lines stay where they are. */
    private static String play(List<String> lines) {
        Stage stage = new Stage();
        List<String> played = new ArrayList<>();
        for (String line : lines) {
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
