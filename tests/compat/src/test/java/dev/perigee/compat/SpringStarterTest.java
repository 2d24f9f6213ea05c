package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.harness.JavaCommand;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.topic.TopicConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application on the stock Spring Boot starter, in a JVM of its own, sends and reads at Perigee as its users are used to. */
@Tag("full")
final class SpringStarterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    @TempDir
    private Path folder;

    @Test
    void templateAndListenersSendReadDecideAndAnswer() throws Exception {
        try (PerigeeProcess perigee = PerigeeProcess.upAskingSoon(folder.resolve("perigee"))) {
            try (AdminClient admin = new OwnBench(perigee.target(), folder).admin()) {
                admin.topics().createOrUpdate(TopicConfig.of("shop-orders", 4));
                admin.topics().createOrUpdate(TopicConfig.of("shop-questions", 1));
            }
            Path home = Files.createDirectories(folder.toAbsolutePath().resolve("shop"));
            JavaProcess shop = new JavaCommand(
                            "shop", "dev.perigee.stock.spring.Shop", StockPeer.SPRING.classPath(), home)
                    .options("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                    .options("-Drocketmq.client.rebalance.waitInterval=1000")
                    .arguments(perigee.target().namesrv())
                    .start();
            int exit = shop.awaitExit(PATIENCE);
            List<String> said = shop.stdout()
                    .lines()
                    .filter(line -> line.startsWith("shop "))
                    .distinct()
                    .toList();
            assertThat(exit).as(() -> shop.stdout() + shop.stderr()).isZero();
            assertThat(said)
                    .containsExactlyInAnyOrder(
                            "shop sent sync SEND_OK",
                            "shop sent async SEND_OK",
                            "shop sent ordered SEND_OK",
                            "shop sent level SEND_OK",
                            "shop sent time SEND_OK",
                            "shop sent committed SEND_OK",
                            "shop sent rolled back SEND_OK",
                            "shop sent open SEND_OK",
                            "shop was asked about open",
                            "shop was answered to how much?",
                            "shop got sync",
                            "shop got async",
                            "shop got ordered",
                            "shop got level",
                            "shop got time",
                            "shop got committed",
                            "shop got open");
        }
    }
}
