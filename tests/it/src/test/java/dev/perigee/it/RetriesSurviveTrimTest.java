package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.RemotingProbe;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpcs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Messages that wait longer than the log is kept are carried forward when their segments go, and come in their time. */
@Tag("full")
final class RetriesSurviveTrimTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int EARLY = 5;
    private static final int LATE = 20;
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final int FILLERS = 80;
    /** Of messages; the log is kept for an hour. */
    private static final String LEVELS = "1s 63m";

    private static final long LATE_SECONDS = 63 * 60;
    private static final long EXPIRED_SECONDS = 61 * 60;

    @TempDir
    private Path folder;

    private final List<JavaProcess> started = new ArrayList<>();

    @Test
    void whatWaitsLongerThanTheLogIsKeptComesInItsTimeAndWhatHasComeStaysAway() throws Exception {
        int port = FreePorts.forBroker();
        String address = "127.0.0.1:" + port;
        Path settings = settings(port);
        Map<String, Long> notBeforeMs = new HashMap<>();
        try (RetryCalls calls = new RetryCalls(address)) {
            start(address, settings, 0);
            for (int i = 0; i < EARLY; i++) {
                calls.fail("early-" + i, 1);
            }
            for (int i = 0; i < LATE; i++) {
                notBeforeMs.put("late-" + i, System.currentTimeMillis() + LATE_SECONDS * 1_000);
                calls.fail("late-" + i, 2);
            }
            awaitRetries(calls, 0, EARLY);
            for (int i = 0; i < FILLERS; i++) {
                calls.send("filling", i + "x".repeat(SEGMENT_BYTES / 16));
            }
            kill();
            start(address, settings, EXPIRED_SECONDS);
            trim(calls);
            assertThat(calls.contents(RetryCalls.RETRIES, EARLY))
                    .as("come too early")
                    .isEmpty();
            kill();
            keepOnlyTheLog();
            start(address, settings, LATE_SECONDS + 5);
            check(awaitRetries(calls, EARLY, LATE), notBeforeMs);
            calls.send("filling", "one more");
            kill();
            start(address, settings, LATE_SECONDS + 5);
            check(awaitRetries(calls, EARLY, LATE), notBeforeMs);
        } finally {
            started.forEach(JavaProcess::kill);
        }
    }

    private Path settings(int port) throws IOException {
        Path file = folder.resolve("shifted.conf");
        return Files.write(
                file,
                List.of(
                        "brokerName=shifted",
                        "namesrvAddr=127.0.0.1:" + FreePorts.one(),
                        "brokerIP1=127.0.0.1",
                        "listenPort=" + port,
                        "storePathRootDir=" + folder.resolve("store"),
                        "mappedFileSizeCommitLog=" + SEGMENT_BYTES,
                        "fileReservedTime=1",
                        "messageDelayLevel=" + LEVELS));
    }

    private void start(String address, Path settings, long secondsAhead) throws IOException {
        JavaProcess broker = new JavaCommand(
                        "shifted", ShiftedBroker.class.getName(), System.getProperty("java.class.path"), folder)
                .options("-Xmx256m", "-XX:+UseSerialGC", "-Dlogback.configurationFile=member-logback.xml")
                .arguments(Long.toString(secondsAhead), settings.toString())
                .start();
        started.add(broker);
        Awaitility.await("broker " + secondsAhead + " s ahead")
                .atMost(PATIENCE)
                .failFast(() -> assertThat(broker.isAlive())
                        .as(() -> broker.stdout() + broker.stderr())
                        .isTrue())
                .until(() -> RemotingProbe.accepts(address));
    }

    private void kill() {
        started.get(started.size() - 1).kill();
    }

    /** Lets the segments go in which everything has waited so far. */
    private void trim(RetryCalls calls) throws Exception {
        calls.send("filling", "tells the log what time it is");
        String first = firstSegment();
        assertThat(first).isEqualTo("0".repeat(20));
        Awaitility.await("the first segment goes")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .until(() -> {
                    calls.call(Rpcs.DELETE_EXPIRED_COMMITLOG, NoHeader.NONE, new byte[0]);
                    return !firstSegment().equals(first);
                });
    }

    private String firstSegment() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("store").resolve("commitlog"))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.matches("\\d{20}"))
                    .sorted()
                    .findFirst()
                    .orElse("");
        }
    }

    private void keepOnlyTheLog() throws IOException {
        LogAloneTest.keepOnlyTheLog(folder.resolve("store"));
    }

    private static List<MessageExt> awaitRetries(RetryCalls calls, long from, int count) throws Exception {
        Awaitility.await(count + " retries")
                .atMost(PATIENCE)
                .until(() -> calls.contents(RetryCalls.RETRIES, from).size() >= count);
        return calls.contents(RetryCalls.RETRIES, from);
    }

    private static void check(List<MessageExt> retries, Map<String, Long> notBeforeMs) {
        assertThat(retries).extracting(MessageExt::bodyText).containsExactlyInAnyOrderElementsOf(notBeforeMs.keySet());
        assertThat(retries)
                .allSatisfy(retry -> assertThat(retry.storeTimestampMs())
                        .as(retry.bodyText())
                        .isGreaterThanOrEqualTo(Objects.requireNonNull(notBeforeMs.get(retry.bodyText()))));
    }
}
