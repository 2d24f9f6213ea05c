package dev.perigee.faults.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.perigee.harness.FreePorts;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
final class NodeClockTest {
    /** Of a processor; a JVM whose waits end at once has all it can get. */
    private static final double IDLE_SHARE = 0.1;

    @Test
    void theClockOfARunningProcessIsShiftedAndSetRight(@TempDir Path folder) throws Exception {
        assumeTrue(NodeClock.canShift(), "libfaketime is not installed");
        NodeClock clock = NodeClock.create(folder);
        int port = FreePorts.one();
        JavaProcess process = new JavaCommand(
                        "shifted", EchoMain.class.getName(), System.getProperty("java.class.path"), folder)
                .runBy(clock.runner())
                .arguments("127.0.0.1", Integer.toString(port))
                .start();
        try {
            await().atMost(ONE_MINUTE).until(() -> process.stdout().contains("listening"));
            await("two seconds without work")
                    .atMost(ONE_MINUTE)
                    .until(() -> busyShare(process, 2_000), share -> share < IDLE_SHARE);
            try (EchoClient client = new EchoClient("127.0.0.1", port)) {
                for (long hours : new long[] {0, 2, -3, 0}) {
                    clock.shift(Duration.ofHours(hours));
                    await("a shift of " + hours + " h")
                            .atMost(ONE_MINUTE)
                            .until(() -> isShifted(client, TimeUnit.HOURS.toMillis(hours)));
                }
            }
        } finally {
            process.kill();
            NodeClock.forget(process.pid());
        }
        assertThat(Path.of("/dev/shm/faketime_shm_" + process.pid())).doesNotExist();
    }

    /** How much of a processor it uses, whatever else runs; for about so long. Blocks. */
    private static double busyShare(JavaProcess process, long forMs) throws IOException {
        long beganUs = Moment.nowUs();
        long usedBeforeMs = process.cpuMillis();
        Moment.afterMs(forMs);
        long usedUs = TimeUnit.MILLISECONDS.toMicros(process.cpuMillis() - usedBeforeMs);
        return (double) usedUs / (Moment.nowUs() - beganUs);
    }

    private static boolean isShifted(EchoClient client, long byMs) throws Exception {
        return Math.abs(client.timeMs() - System.currentTimeMillis() - byMs) < TimeUnit.MINUTES.toMillis(1);
    }
}
