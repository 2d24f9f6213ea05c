package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How the launcher finds a JDK and builds on first use: a copy of it in a folder of its own, with JDKs and a build that only say
 * how they were called. {@link LauncherIT} runs the real one.
 */
class LauncherTest {
    private static final long LIMIT_S = 60;

    @TempDir
    Path folder;

    private Path root;

    /** What a run of the launcher gave. */
    private record Outcome(int exitCode, String out, String err) {}

    @BeforeEach
    void copyTheLauncher() throws IOException {
        root = Files.createDirectories(folder.resolve("root"));
        executable(root.resolve("perigee"), Files.readString(Path.of("..", "perigee")));
    }

    private static void executable(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** A folder that looks like a JDK of that version and prints what it is asked to run. */
    private Path jdk(String version) throws IOException {
        Path home = folder.resolve("jdk-" + version);
        executable(home.resolve("bin/java"), "#!/usr/bin/env bash\necho \"java " + version + " ${*: -2}\"\n");
        executable(home.resolve("bin/javac"), "#!/usr/bin/env bash\n");
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
        return home;
    }

    /** As if the project had been built. */
    private void built() throws IOException {
        Files.createDirectories(root.resolve("dist/target/lib"));
        Files.writeString(root.resolve("dist/target/lib/perigee-dist.jar"), "");
    }

    private void build(String... lines) throws IOException {
        executable(root.resolve("mvnw"), "#!/usr/bin/env bash\n" + String.join("\n", lines) + "\n");
    }

    private Outcome run(Map<String, String> environment, String... words) throws IOException, InterruptedException {
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        List<String> command = new ArrayList<>(List.of(root.resolve("perigee").toString()));
        command.addAll(List.of(words));
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.equals("JAVA_HOME") || name.startsWith("PERIGEE_"));
        builder.environment().put("HOME", folder.toString());
        builder.environment().putAll(environment);
        Process process = builder.start();
        assertThat(process.waitFor(LIMIT_S, TimeUnit.SECONDS)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    private static String javaFirst(Path home) {
        return home.resolve("bin") + ":" + System.getenv("PATH");
    }

    @Test
    void theJdkNamedForPerigeeIsTakenBeforeAnyOther() throws Exception {
        built();
        Outcome outcome = run(
                Map.of(
                        "PERIGEE_JAVA_HOME", jdk("21.0.1").toString(),
                        "JAVA_HOME", jdk("17.0.9").toString(),
                        "PATH", javaFirst(jdk("19"))),
                "version");

        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out()).endsWith("java 21.0.1 dev.perigee.dist.Main version\n");
    }

    @Test
    void aJdkThatIsTooOldIsPassedOver() throws Exception {
        built();
        Outcome outcome = run(
                Map.of(
                        "PERIGEE_JAVA_HOME", jdk("1.8.0_402").toString(),
                        "JAVA_HOME", jdk("11.0.2").toString(),
                        "PATH", javaFirst(jdk("17"))),
                "version");

        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out()).endsWith("java 17 dev.perigee.dist.Main version\n");
    }

    @Test
    void withoutAJdkOneLineSaysHowToGetOne() throws Exception {
        String launcher = Files.readString(root.resolve("perigee"));
        assertThat(launcher).contains("readonly MIN_JAVA=17\n");
        executable(
                root.resolve("perigee"), launcher.replace("MIN_JAVA=17", "MIN_JAVA=999")); // every real one is too old
        for (boolean isBuilt : new boolean[] {false, true}) {
            if (isBuilt) {
                built();
            }
            Outcome outcome = run(Map.of("JAVA_HOME", jdk("21").toString()), "version");

            assertThat(outcome.exitCode()).isEqualTo(1);
            assertThat(outcome.out()).isEmpty();
            assertThat(outcome.err().lines())
                    .singleElement()
                    .satisfies(line -> assertThat(line)
                            .startsWith("perigee: needs a JDK 999 or above: ")
                            .contains("apt install openjdk-17-jdk-headless", "brew install", "JAVA_HOME"));
        }
    }

    @Test
    void theFirstUseBuildsOnceAndThenRuns() throws Exception {
        build(
                "echo \"$JAVA_HOME $*\" >>\"" + folder.resolve("builds.txt") + "\"",
                "mkdir -p dist/target/lib",
                ": >dist/target/lib/perigee-dist.jar");
        Path home = jdk("17.0.9");
        Map<String, String> environment = Map.of("PERIGEE_JAVA_HOME", home.toString());

        Outcome first = run(environment, "topic", "list");
        Outcome second = run(environment, "topic", "list");

        assertThat(first.exitCode()).as(first.toString()).isZero();
        assertThat(first.err()).contains("perigee: nothing is built yet; building once", "perigee: built in ");
        assertThat(first.out()).endsWith("java 17.0.9 topic list\n");
        assertThat(second.out()).isEqualTo("java 17.0.9 topic list\n");
        assertThat(second.err()).isEmpty();
        assertThat(folder.resolve("builds.txt"))
                .content()
                .isEqualTo(home + " -B -Pquick -DskipTests -pl dist -am package\n");
    }

    @Test
    void whoWaitsForTheBuildOfAnotherOneSaysSoOnce() throws Exception {
        Path lock = Files.createDirectories(root.resolve("dist/target/.building"));
        Path holder = Files.writeString(
                lock.resolve("pid"), Long.toString(ProcessHandle.current().pid()));
        Map<String, String> environment = Map.of("PERIGEE_JAVA_HOME", jdk("17").toString());
        FutureTask<Outcome> waiting = new FutureTask<>(() -> run(environment, "version"));
        new Thread(waiting).start();
        Path err = folder.resolve("err.txt");
        RunningUp.await(() -> Files.exists(err) && Files.readString(err).contains("waiting"));
        assertThat(waiting).isNotDone();
        built();
        Files.delete(holder);
        Files.delete(lock);

        Outcome outcome = waiting.get(LIMIT_S, TimeUnit.SECONDS);
        assertThat(outcome.exitCode()).as(outcome.toString()).isZero();
        assertThat(outcome.out()).endsWith("java 17 dev.perigee.dist.Main version\n");
        assertThat(outcome.err().lines())
                .filteredOn(line -> line.contains("waiting"))
                .containsExactly("perigee: another ./perigee is building; waiting for it");
    }

    @Test
    void aBuildThatFailsShowsItsErrorsAndItsLog() throws Exception {
        build("echo '[INFO] fine so far'", "echo '[ERROR] no such library'", "exit 1");

        Outcome outcome = run(Map.of("PERIGEE_JAVA_HOME", jdk("17").toString()), "version");

        assertThat(outcome.exitCode()).isEqualTo(1);
        assertThat(outcome.out()).isEmpty();
        assertThat(outcome.err())
                .contains("[ERROR] no such library\n")
                .contains("perigee: the build failed; the whole log is " + root.resolve("dist/target/first-build.log"))
                .doesNotContain("fine so far");
    }
}
