package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.send.SendStatus;
import dev.perigee.harness.StockCluster;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.protocol.message.Message;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Our client talks to a stock NameServer and broker, and to stock clients through them. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OurClientOnStockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int TIMEOUT_MS = 20_000;

    private StockCluster cluster;
    private StockDriver driver;
    private OwnBench bench;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        cluster = new StockCluster(folder.resolve("cluster")).asksSoon().start();
        driver = StockDriver.impatient(
                        StockPeer.CLIENT5,
                        folder.resolve("driver"),
                        cluster.target().namesrv())
                .atStockBrokers();
        bench = OwnBench.atStock(cluster.target(), folder);
    }

    @AfterAll
    void stop() {
        driver.close();
        cluster.close();
    }

    @TestFactory
    @Execution(ExecutionMode.CONCURRENT)
    Stream<DynamicTest> besideStockClients() {
        return ScenarioTests.of(new MixedKindScenarios(bench, driver).all());
    }

    @Test
    @DisplayName("what our producer sends one by one and in batches, a stock consumer reads")
    void sends() throws Exception {
        try (Producer producer = Producer.builder()
                .nameServers(cluster.target().namesrv())
                .group("our-producers")
                .sendTimeoutMs(TIMEOUT_MS)
                .build()) {
            producer.start();
            var sent = producer.send(Message.builder("from-ours")
                    .body("one")
                    .tag("tagA")
                    .keys("k1")
                    .build());
            assertThat(sent.status()).isEqualTo(SendStatus.SEND_OK);
            for (int i = 0; i < 50; i++) {
                producer.sendAsync(Message.of("from-ours", "async " + i)).join();
            }
            try (StockConsumer consumer = driver.consumer("stock-readers", "from-ours")) {
                consumer.await(51);
                assertThat(consumer.bodies()).hasSize(51).contains("one", "async 0", "async 49");
                assertThat(consumer.received().stream()
                                .filter(one -> one.msgId().equals(sent.messageId())))
                        .singleElement()
                        .satisfies(one -> assertThat(one.keys() + one.tags()).isEqualTo("k1tagA"));
            }
        }
    }

    @Test
    @DisplayName("what a stock producer sends, our push consumer reads once")
    void consumes() throws Exception {
        driver.producer("stock-producers", "settings", Map.of("sendMsgTimeout", TIMEOUT_MS))
                .send("from-stock", 30);
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (PushConsumer consumer = PushConsumer.builder()
                .nameServers(cluster.target().namesrv())
                .callTimeoutMs(TIMEOUT_MS)
                .group("our-readers")
                .subscribe("from-stock", "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .listener(messages -> {
                    messages.forEach(message -> got.add(message.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build()) {
            consumer.start();
            await().atMost(PATIENCE).until(() -> got.size() >= 30);
            assertThat(got).hasSize(30).doesNotHaveDuplicates();
        }
    }
}
