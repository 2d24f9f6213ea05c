package dev.perigee.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.sim.group.GroupSimulation;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A seed takes the same course whenever and wherever it is run. Nothing in name server, broker and client may depend on what
 * differs from process to process: the order of {@code Set.of} and its like, a thread, the time.
 */
final class SameCourseTest {
    /** With resets, broken networks, and brokers that restart, are killed and lose power between them. */
    private static final List<Long> SEEDS = List.of(7L, 11L, 1_067L);

    private static final int PATIENCE_SECONDS = 300;

    @TempDir
    private Path folder;

    @Test
    void aSeedTakesTheSameCourseInEveryProcess() throws Exception {
        Path other = Files.createDirectories(folder.resolve("other"));
        Process process = start(other);
        List<String> courses = new ArrayList<>();
        for (long seed : SEEDS) {
            courses.add(CourseMain.course(seed, folder.resolve("own")));
        }
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS))
                    .as("the other process ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as(() -> "exit of the other process\n" + read(other.resolve("output")))
                .isZero();
        assertThat(Files.readAllLines(other.resolve("courses"))).isEqualTo(courses);
    }

    private static Process start(Path folder) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("-X"))
                .forEach(command::add);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CourseMain.class.getName()));
        command.add(folder.resolve("courses").toString());
        command.add(Files.createDirectories(folder.resolve("home")).toString());
        SEEDS.forEach(seed -> command.add(seed.toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @Test
    void aSeedTakesTheSameCourseAgainAndAnotherOneAnother() throws Exception {
        GroupSimulation first = run(7, "one");

        assertThat(first.history()).hasSizeGreaterThan(500);
        assertThat(first.course())
                .isEqualTo(run(7, "two").course())
                .isNotEqualTo(run(8, "three").course());
    }

    private GroupSimulation run(long seed, String home) throws Exception {
        GroupSimulation run = new GroupSimulation(seed, Files.createDirectories(folder.resolve(home)));
        assertThat(run.run()).isEmpty();
        return run;
    }

    /** A thread of their own would take its turn when it likes. */
    @Test
    void brokerNameServerAndClientsStartNoThread() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        GroupSimulation run = run(11, "one");
        assertThat(run.history()).anyMatch(line -> line.contains(" reset "));

        Set<Thread> started = new HashSet<>(Thread.getAllStackTraces().keySet());
        started.removeAll(before);
        assertThat(started)
                .map(Thread::getName)
                .noneMatch(name -> name.matches("(cold-reader|perigee|namesrv|broker).*"));
    }
}
