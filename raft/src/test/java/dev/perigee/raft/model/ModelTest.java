package dev.perigee.raft.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The model holds within the bounds of its page and shows each rule that is taken away, and the page names what there is. */
final class ModelTest {
    private static final Path MODEL = Path.of("..", "docs", "model");
    private static final List<Path> SOURCES = Stream.of("raft", "store", "group")
            .map(module -> Path.of("..", module, "src", "main", "java"))
            .toList();
    private static final Pattern METHOD = Pattern.compile("`([A-Z]\\w+)\\.(\\w+)`");
    private static final Pattern STEP = Pattern.compile("^inline (\\w+)\\(", Pattern.MULTILINE);
    /** The longest run takes 25 s of one core, compiling included. */
    private static final long PATIENCE_MIN = 38;

    @TempDir
    private Path folder;

    @Test
    void everyMethodThatThePageNamesIsThere() throws IOException {
        List<MatchResult> named = METHOD.matcher(page()).results().toList();

        assertThat(named).hasSizeGreaterThan(20);
        for (MatchResult method : named) {
            assertThat(sourceOf(method.group(1)))
                    .as("the source of %s", method.group())
                    .containsPattern("[ .]" + method.group(2) + "\\(");
        }
    }

    @Test
    void thePageNamesEveryStepOfTheModel() throws IOException {
        String model = Files.readString(MODEL.resolve("raft.pml"));
        List<String> steps =
                STEP.matcher(model).results().map(step -> step.group(1)).toList();

        assertThat(steps).hasSizeGreaterThan(10);
        for (String step : steps) {
            assertThat(page()).as("step %s", step).contains("`" + step + "`");
        }
    }

    /** What is to hold within its bounds, and each rule that is taken away, which must show. */
    static Stream<String> runs() throws IOException, InterruptedException {
        Process list = check("list").start();
        List<String> lines = list.inputReader().lines().toList();
        assertThat(list.waitFor())
                .as("exit of check list, which said %s", lines)
                .isZero();
        assertThat(lines).hasSizeGreaterThan(15);
        return lines.stream().map(line -> line.substring(0, line.indexOf('|')).strip());
    }

    @Tag("full")
    @ParameterizedTest(name = "{0}")
    @MethodSource("runs")
    void everyStateIsAsThePageSays(String run) throws Exception {
        requirePrograms();
        Path said = folder.resolve("said");

        int exit = exitOf(check(run).redirectOutput(said.toFile()).start());

        System.out.print(Files.readString(said));
        assertThat(exit)
                .as("exit of docs/model/check %s\n%s", run, Files.readString(said))
                .isZero();
    }

    private static String page() throws IOException {
        return Files.readString(MODEL.resolve("README.md"));
    }

    private static String sourceOf(String type) throws IOException {
        Predicate<Path> isIt = file -> file.endsWith(type + ".java");
        for (Path sources : SOURCES) {
            try (Stream<Path> files = Files.walk(sources)) {
                List<Path> found = files.filter(isIt).toList();
                if (!found.isEmpty()) {
                    return Files.readString(found.get(0));
                }
            }
        }
        throw new AssertionError("the page names " + type + ", which is in none of " + SOURCES);
    }

    /** Skips the test where they are missing; where they are promised ({@code PERIGEE_SPIN} is set) it fails. */
    private static void requirePrograms() {
        boolean isPromised = System.getenv("PERIGEE_SPIN") != null;
        for (String program : List.of("spin", "gcc")) {
            boolean isThere = Files.isExecutable(Path.of("/usr/bin", program));
            assertThat(isThere || !isPromised)
                    .as("the program %s must be installed here", program)
                    .isTrue();
            assumeTrue(isThere, program + " is not installed");
        }
    }

    private static ProcessBuilder check(String what) {
        return new ProcessBuilder(MODEL.resolve("check").toString(), what).redirectErrorStream(true);
    }

    private static int exitOf(Process check) throws InterruptedException {
        try {
            return check.waitFor(PATIENCE_MIN, TimeUnit.MINUTES) ? check.exitValue() : -1;
        } finally {
            check.descendants().forEach(ProcessHandle::destroyForcibly);
            check.destroyForcibly();
        }
    }
}
