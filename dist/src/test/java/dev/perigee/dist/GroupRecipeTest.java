package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.remoting.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The recipe of docs/groups.md, line by line as it stands there, with the files in conf/: each in a process of its own, on other ports. */
@Tag("full")
class GroupRecipeTest {
    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```\\n(.*?)^```$");
    private static final Pattern START = Pattern.compile("\\./perigee (.*) & (\\w+)=\\$!");
    private static final Pattern KILL = Pattern.compile("kill (-9 )?(.*)");
    private static final String COMMAND = "./perigee ";
    private static final int FIRST_PORT = 10_911;
    private static final int STEP = 10;

    @TempDir
    private Path folder;

    private final String nameServerPort = Integer.toString(FreePorts.one());
    private final int firstPort = FreePorts.forBrokers(3, STEP);
    private final Map<String, Process> started = new TreeMap<>();
    private final StringBuilder printed = new StringBuilder();

    private static Path root() {
        return LauncherIT.launcher().resolveSibling("");
    }

    @BeforeEach
    void copyFiles() throws IOException {
        Files.createDirectory(folder.resolve("conf"));
        for (String name : List.of("namesrv.conf", "group-n0.conf", "group-n1.conf", "group-n2.conf")) {
            String text = Files.readString(root().resolve("conf").resolve(name)).replace("9876", nameServerPort);
            for (int port = FIRST_PORT; port < FIRST_PORT + 3 * STEP; port++) {
                text = text.replace(Integer.toString(port), Integer.toString(firstPort + port - FIRST_PORT));
            }
            Files.writeString(folder.resolve("conf").resolve(name), text);
        }
    }

    @AfterEach
    void killAll() {
        started.values().forEach(Process::destroyForcibly);
    }

    @Test
    void aMemberIsKilledAndNothingIsLost() throws Exception {
        for (String line : lines()) {
            Matcher start = START.matcher(line);
            Matcher kill = KILL.matcher(line);
            if (start.matches()) {
                String name = start.group(2);
                boolean isAgain = started.put(name, start(List.of(start.group(1).split(" ")), name + ".txt")) != null;
                await(line)
                        .atMost(PATIENCE)
                        .until(() ->
                                !isAgain || read(folder.resolve(name + ".txt")).contains("ready on "));
            } else if (kill.matches()) {
                for (String name : kill.group(2).split(" ")) {
                    stop(Objects.requireNonNull(started.get(name.substring(1))), kill.group(1) != null);
                }
            } else {
                command(line);
            }
        }

        assertThat(printed).containsSubsequence("broker-a:", " SEND_OK", " SEND_OK", "  before\n");
        assertThat(printed)
                .as("of two queues, which are read in any order")
                .containsSubsequence("broker-a:", " SEND_OK", " SEND_OK", "  after\n");
        assertThat(printed.toString().lines())
                .filteredOn(line -> line.contains("does not answer"))
                .as("who was killed, until it was started again")
                .isNotEmpty()
                .allMatch(line -> line.contains(" n1 "));
        assertThat(Files.readString(folder.resolve("n1.txt"))).contains("ready on ", "; member n1 of group broker-a, ");
    }

    /** Those of the blocks under its heading. */
    private static List<String> lines() throws IOException {
        String page = Files.readString(root().resolve("docs").resolve("groups.md"));
        String recipe = page.substring(page.indexOf("\n### Kill one\n"), page.indexOf("\n## Settings\n"));
        List<String> lines = new ArrayList<>();
        for (Matcher block = BLOCK.matcher(recipe); block.find(); ) {
            lines.addAll(block.group(1).lines().toList());
        }
        assertThat(lines).hasSizeGreaterThan(10);
        return lines;
    }

    /** It does what it is to, soon: an election may be under way. That the first one of them leads already is none of its faults. */
    private void command(String line) {
        assertThat(line).startsWith(COMMAND);
        List<String> words = List.of(line.substring(COMMAND.length()).split(" "));
        Path output = folder.resolve("command.txt");
        await(line).atMost(PATIENCE).pollDelay(Duration.ZERO).until(() -> {
            Process process = start(words, output.getFileName().toString());
            assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            return process.exitValue() == 0 || line.contains(" transfer ");
        });
        printed.append(read(output));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(file + " cannot be read", e);
        }
    }

    private Process start(List<String> words, String output) throws IOException {
        List<String> all = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
        all.addAll(words);
        ProcessBuilder builder = new ProcessBuilder(all)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(output).toFile());
        builder.environment().put("NAMESRV_ADDR", "127.0.0.1:" + nameServerPort);
        return builder.start();
    }

    private static void stop(Process process, boolean isKill) throws InterruptedException {
        if (isKill) {
            process.destroyForcibly();
        } else {
            process.destroy();
        }
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        if (!isKill) {
            assertThat(process.exitValue()).as("as after SIGTERM").isEqualTo(143);
        }
    }
}
