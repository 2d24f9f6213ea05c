package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The README's first commands, taken from its text, print what it says they print. */
@Tag("full")
class ReadmeIT {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(\\w*)\\n(.*?)^```$");
    /** Name server, broker, and its fast port. */
    private static final int[] OWN_PORTS = {9876, 10911, 10909};

    private static final Pattern ADDRESS_OPTION = Pattern.compile(" -n 127\\.0\\.0\\.1:\\d+");
    /** What differs from run to run: ids, times, ports, places. */
    private static final Pattern ID = Pattern.compile("\\b[0-9A-F]{32}\\b");

    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z");
    private static final Pattern NUMBER = Pattern.compile("\\d+");

    @TempDir
    Path folder;

    private final List<Process> started = new ArrayList<>();

    @Test
    void theFirstMinuteGoesAsItIsPrinted() throws Exception {
        List<String> commands = blocks("");
        List<String> printed = blocks("text");
        assertThat(commands.get(0)).isEqualTo("./perigee up\n");
        List<String> others = commands.get(1).lines().toList();
        assertThat(others).hasSize(2).allMatch(line -> line.startsWith("./perigee "));
        List<String> answers = printed.get(1).lines().toList();
        Files.createSymbolicLink(folder.resolve("perigee"), LauncherIT.launcher());
        try {
            Path up = folder.resolve("up.txt");
            start(up, commands.get(0).strip() + (ownPortsAreFree() ? "" : " --namesrv-port 0 --broker-port 0"));
            await().atMost(LIMIT).until(() -> read(up).contains("./perigee topic list" + option(up) + "\n"));
            assertThat(masked(read(up)).strip())
                    .isEqualTo(masked(printed.get(0)).strip());

            for (int i = 0; i < others.size(); i++) {
                Path output = folder.resolve("command" + i + ".txt");
                String expected = masked(answers.get(i) + "\n");
                start(output, others.get(i) + option(up));
                await().atMost(LIMIT)
                        .untilAsserted(() -> assertThat(masked(read(output))).isEqualTo(expected));
            }
            assertThat(started.get(1).waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(started.get(1).exitValue()).as("send").isZero();
            assertThat(started.get(2).isAlive()).as("consume follows").isTrue();
            assertThat(folder.resolve("data/broker/commitlog")).isNotEmptyDirectory();
        } finally {
            for (int i = started.size() - 1; i >= 0; i--) {
                started.get(i).destroy();
                assertThat(started.get(i).waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
        }
        assertThat(read(folder.resolve("up.txt"))).endsWith("stopped\n");
    }

    /** The code blocks of the README in that language, in order. */
    private static List<String> blocks(String language) throws IOException {
        String text = Files.readString(LauncherIT.launcher().resolveSibling("README.md"));
        List<String> blocks = new ArrayList<>();
        for (Matcher block = BLOCK.matcher(text); block.find(); ) {
            if (block.group(1).equals(language)) {
                blocks.add(block.group(2));
            }
        }
        return blocks;
    }

    /** Runs a line as a shell does, in the folder of the test. */
    private void start(Path output, String line) throws IOException {
        ProcessBuilder builder = new ProcessBuilder("bash", "-c", "exec " + line)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("errors.txt").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().remove("NAMESRV_ADDR");
        started.add(builder.start());
    }

    private static boolean ownPortsAreFree() {
        return IntStream.of(OWN_PORTS).allMatch(port -> {
            try (ServerSocket socket = new ServerSocket(port)) {
                return socket.isBound();
            } catch (IOException taken) {
                return false;
            }
        });
    }

    /** The address the commands need when the ports are not those of the README; {@code up} says it. */
    private static String option(Path up) throws IOException {
        Matcher option = ADDRESS_OPTION.matcher(read(up));
        return option.find() ? option.group() : "";
    }

    private static String read(Path file) throws IOException {
        return Files.readString(file);
    }

    private static String masked(String text) {
        String same = ADDRESS_OPTION.matcher(text).replaceAll("");
        same = ID.matcher(same).replaceAll("ID");
        same = TIME.matcher(same).replaceAll("TIME");
        return NUMBER.matcher(same).replaceAll("N");
    }
}
