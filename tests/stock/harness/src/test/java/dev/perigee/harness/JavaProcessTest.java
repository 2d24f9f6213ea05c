package dev.perigee.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What we start, we can watch, and it cannot outlive us. */
@Tag("full")
class JavaProcessTest {
    @Test
    @DisplayName("a process shows its output, its memory and its processor time, and dies when killed")
    void watched(@TempDir Path folder) throws IOException {
        JavaProcess busy = start(Busy.class, folder, "busy");
        await().atMost(ONE_MINUTE).until(() -> busy.stdout().contains("started"));
        await().atMost(ONE_MINUTE).until(() -> busy.cpuMillis() > 300);
        assertThat(busy.residentKb()).isGreaterThan(10_000);
        busy.kill();
        assertThat(busy.isAlive()).isFalse();
    }

    @Test
    @DisplayName("a process ends when the one that started it is killed")
    void orphaned(@TempDir Path folder) throws IOException {
        JavaProcess parent = start(Parent.class, folder, "parent");
        await().atMost(ONE_MINUTE).until(() -> parent.stdout().matches("(?s)(.*\n)?\\d+\n"));
        // A JVM may write a warning of its own before.
        String last = parent.stdout().lines().reduce("", (before, line) -> line);
        ProcessHandle child = ProcessHandle.of(Long.parseLong(last)).orElseThrow();
        assertThat(child.isAlive()).isTrue();
        parent.kill();
        await().atMost(ONE_MINUTE).until(() -> !child.isAlive());
    }

    @Test
    @DisplayName("a process that is stopped has the time to stop cleanly")
    void stopped(@TempDir Path folder) throws IOException {
        JavaProcess polite = start(Polite.class, folder, "polite");
        await().atMost(ONE_MINUTE).until(() -> polite.stdout().contains("started"));
        polite.stop();
        assertThat(polite.stdout()).endsWith("goodbye\n");
    }

    @Test
    @DisplayName("a process that is suspended does nothing until it is resumed")
    void suspended(@TempDir Path folder) throws IOException {
        try (JavaProcess busy = start(Busy.class, folder, "busy")) {
            await().atMost(ONE_MINUTE).until(() -> busy.cpuMillis() > 300);
            busy.suspend();
            AtomicLong last = new AtomicLong();
            await().atMost(ONE_MINUTE).pollInterval(Duration.ofMillis(200)).until(() -> {
                long now = busy.cpuMillis();
                return last.getAndSet(now) == now;
            });
            busy.resume();
            await().atMost(ONE_MINUTE).until(() -> busy.cpuMillis() > last.get() + 100);
            busy.kill();
            busy.suspend(); // nobody is there any more
        }
    }

    @Test
    @DisplayName("a command put in front of the JVM's own becomes the process")
    void runByAnother(@TempDir Path folder) throws IOException {
        try (JavaProcess busy = new JavaCommand(
                        "busy", Busy.class.getName(), System.getProperty("java.class.path"), folder)
                .runBy(List.of("nice", "-n", "1"))
                .runBy(List.of("env", "PUT_THERE=yes"))
                .start()) {
            await().atMost(ONE_MINUTE).until(() -> busy.stdout().contains("started"));
            assertThat(Path.of("/proc", Long.toString(busy.pid()), "environ"))
                    .content()
                    .contains("PUT_THERE=yes");
            busy.kill();
            assertThat(ProcessHandle.of(busy.pid())).isEmpty();
        }
    }

    private static JavaProcess start(Class<?> main, Path folder, String name) throws IOException {
        return new JavaCommand(name, main.getName(), System.getProperty("java.class.path"), folder).start();
    }

    /** Burns processor time. */
    public static final class Busy {
        private static volatile long turns;

        private Busy() {}

        /** Never ends. */
        public static void main(String[] args) {
            System.out.println("started");
            while (turns >= 0) {
                turns = turns + 1 & Long.MAX_VALUE;
            }
        }
    }

    /** Takes a moment to stop. */
    public static final class Polite {
        private Polite() {}

        /** Waits for its end. */
        public static void main(String[] args) throws InterruptedException {
            Runtime.getRuntime().addShutdownHook(new Thread(Polite::sayGoodbye));
            System.out.println("started");
            new CountDownLatch(1).await();
        }

        private static void sayGoodbye() {
            try {
                new CountDownLatch(1).await(300, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            System.out.println("goodbye");
        }
    }

    /** Starts a child, tells its id and waits. */
    public static final class Parent {
        private Parent() {}

        /** Never ends. */
        public static void main(String[] args) throws IOException, InterruptedException {
            System.out.println(
                    start(Busy.class, Path.of("").toAbsolutePath(), "child").pid());
            new CountDownLatch(1).await();
        }
    }
}
