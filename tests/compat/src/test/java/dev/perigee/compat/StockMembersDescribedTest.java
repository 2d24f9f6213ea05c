package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.topic.TopicConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code perigee group describe} shows stock members of both generations, each in a process of its own. */
@Tag("full")
class StockMembersDescribedTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @Test
    void whatStockMembersSubscribeToAndReadAndWhereTheyDiffer(@TempDir Path folder) throws Exception {
        try (PerigeeProcess perigee = PerigeeProcess.up(folder.resolve("perigee"))) {
            String namesrv = perigee.target().namesrv();
            try (AdminClient admin = AdminClient.builder()
                    .nameServers(namesrv)
                    .callTimeoutMs(60_000)
                    .timeoutMs(60_000)
                    .build()) {
                admin.start();
                admin.topics().createOrUpdate(TopicConfig.of("shared", 2));
            }
            try (StockDriver five = StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("five"), namesrv);
                    StockDriver four = StockDriver.impatient(StockPeer.CLIENT4, folder.resolve("four"), namesrv);
                    StockConsumer red = five.consumer("shared-g", "shared", "expr", "red", "settings", named("red5"));
                    StockConsumer blue =
                            four.consumer("shared-g", "shared", "expr", "blue", "settings", named("blue4"))) {
                Path runs = Files.createDirectories(folder.resolve("runs"));
                Awaitility.await()
                        .atMost(PATIENCE)
                        .pollInterval(Duration.ofMillis(500))
                        .untilAsserted(() -> assertThat(described(runs, namesrv))
                                .contains("2 members, 0 messages behind")
                                .containsPattern("@red5 from 127\\.0\\.0\\.1:\\d+, JAVA V5_\\S+: shared \\(TAG red\\)")
                                .containsPattern(
                                        "@blue4 from 127\\.0\\.0\\.1:\\d+, JAVA V4_\\S+: shared \\(TAG blue\\)")
                                .contains("the members want different things of topic shared:")
                                .containsPattern("@red5 wants TAG red\\R")
                                .containsPattern("@blue4 wants TAG blue\\R")
                                .containsPattern("shared +\\| \\S+ +\\| +[01] +\\| \\S+@red5 ")
                                .containsPattern("shared +\\| \\S+ +\\| +[01] +\\| \\S+@blue4 "));
                assertThat(red.bodies()).isEmpty();
                assertThat(blue.bodies()).isEmpty();
            }
        }
    }

    private static Map<String, String> named(String instance) {
        return Map.of("instanceName", instance);
    }

    private static String described(Path folder, String namesrv) throws IOException {
        JavaProcess run = new JavaCommand(
                        "describe", "dev.perigee.dist.Main", System.getProperty("java.class.path"), folder)
                .options("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .arguments("group", "describe", "shared-g", "-n", namesrv)
                .start();
        assertThat(run.awaitExit(PATIENCE)).as(run.stderr()).isZero();
        return run.stdout();
    }
}
