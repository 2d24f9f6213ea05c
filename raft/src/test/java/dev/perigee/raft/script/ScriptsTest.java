package dev.perigee.raft.script;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Plays the scenarios: after each line that begins with {@code >} the text up to the next one is what must come of it. With the
 * environment variable {@code PERIGEE_SCRIPTS_WRITE=true} what comes of it is written there instead, to be reviewed as a diff.
 */
final class ScriptsTest {
    private static final boolean WRITE = "true".equals(System.getenv("PERIGEE_SCRIPTS_WRITE"));
    private static final int FEWEST = 49;

    @ParameterizedTest
    @MethodSource("scenarios")
    void whatComesOfEachLineIsWhatTheScenarioSays(Path scenario) throws IOException {
        String played = Scenarios.play(scenario);
        if (WRITE) {
            Files.writeString(scenario, played);
        }
        assertThat(played).isEqualTo(Files.readString(scenario));
    }

    @Test
    void allScenariosAreThere() throws IOException {
        assertThat(scenarios()).hasSizeGreaterThanOrEqualTo(FEWEST);
    }

    static List<Path> scenarios() throws IOException {
        return Scenarios.all();
    }
}
