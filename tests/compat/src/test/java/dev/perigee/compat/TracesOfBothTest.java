package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.query.MessageTrace;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.StockAdmin;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.trace.TraceRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Message traces of either kind of client are read by the tools of the other. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TracesOfBothTest {
    private Path folder;
    private PerigeeProcess perigee;
    private AdminClient admin;

    @BeforeAll
    void start(@TempDir Path directory) throws IOException {
        folder = directory;
        perigee = PerigeeProcess.up(directory.resolve("perigee"), "--set", "traceTopicEnable=true");
        admin = AdminClient.builder()
                .nameServers(namesrv())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
        admin.start();
    }

    @AfterAll
    void stop() {
        admin.close();
        perigee.close();
    }

    private String namesrv() {
        return perigee.target().namesrv();
    }

    /** Sends a message and consumes it with our own traced clients; gives its id. */
    private String ownTraces(String topic) throws Exception {
        admin.topics().createOrUpdate(TopicConfig.of(topic, 1));
        CompletableFuture<Boolean> consumed = new CompletableFuture<>();
        SendResult sent;
        try (PushConsumer consumer = PushConsumer.builder()
                .nameServers(namesrv())
                .group("own-readers")
                .subscribe(topic, "*")
                .consumeFrom(ConsumeFrom.firstOffset())
                .enableMsgTrace()
                .listener(messages -> {
                    consumed.complete(true);
                    return ConsumeResult.SUCCESS;
                })
                .build()) {
            consumer.start();
            try (Producer producer = Producer.builder()
                    .nameServers(namesrv())
                    .group("own-senders")
                    .enableMsgTrace()
                    .build()) {
                producer.start();
                sent = producer.send(
                        Message.builder(topic).body("x").tag("blue").keys("k1").build());
            }
            await().atMost(OwnBench.PATIENCE).until(consumed::isDone);
        }
        return sent.messageId();
    }

    @ParameterizedTest
    @EnumSource(names = {"TOOLS4", "TOOLS5"})
    void stockToolsShowTheTracesOfOurClients(StockPeer tools) throws Exception {
        String id = ownTraces("own-traced-" + tools);
        StockAdmin.Result shown = new StockAdmin(tools, folder.resolve("admin-" + tools))
                .run("queryMsgTraceById", "-n", namesrv(), "-i", id);
        assertThat(shown.succeeded()).as(shown.toString()).isTrue();
        assertThat(shown.stdout())
                .containsPattern("(?m)^Pub +own-senders +127\\.0\\.0\\.1.* success *$")
                .contains("own-readers")
                .containsPattern("(?m)^(Sub\\S* )?.*127\\.0\\.0\\.1.* success *$");
    }

    private List<TraceRecord> notes(String messageId) throws Exception {
        return admin.messages().trace(messageId).notes().stream()
                .map(MessageTrace.Note::record)
                .toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"CLIENT4", "CLIENT5"})
    void ourReaderShowsTheTracesOfStockClients(StockPeer client) throws Exception {
        String topic = "stock-traced-" + client;
        admin.topics().createOrUpdate(TopicConfig.of(topic, 1));
        try (StockDriver driver = StockDriver.impatient(client, folder.resolve("driver-" + client), namesrv());
                StockConsumer consumer = driver.consumer("stock-readers-" + client, topic, "trace", true)) {
            StockProducer producer = driver.producer("stock-senders-" + client, "trace", true);
            String id = producer.send("sync", topic, "keys", "k1", "tags", "blue")
                    .get(0)
                    .msgId();
            consumer.await(1);
            await().atMost(OwnBench.PATIENCE)
                    .untilAsserted(() -> assertThat(notes(id)).hasSize(3));
            List<TraceRecord> notes = notes(id);
            TraceRecord.Sent sent = (TraceRecord.Sent) notes.get(0);
            assertThat(List.of(sent.group(), sent.topic(), sent.storeHost(), sent.isSuccess()))
                    .containsExactly(
                            "stock-senders-" + client, topic, perigee.target().broker(), true);
            assertThat(sent.tags()).isEqualTo("blue");
            TraceRecord.ConsumeBegun begun = (TraceRecord.ConsumeBegun) notes.get(1);
            TraceRecord.ConsumeEnded ended = (TraceRecord.ConsumeEnded) notes.get(2);
            assertThat(begun.group()).isEqualTo("stock-readers-" + client);
            assertThat(begun.keys()).isEqualTo("k1");
            assertThat(ended.requestId()).isEqualTo(begun.requestId());
            assertThat(ended.isSuccess()).isTrue();
        }
    }
}
