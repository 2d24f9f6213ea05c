package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.send.SendResult;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageId;
import dev.perigee.protocol.message.MessageQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Check K12: the disk refuses under load with SYNC_FLUSH. From then on nothing is acknowledged, the broker says so and stops, and after a loss
 * of everything that was never synced all is there that anybody was told or shown: Perigee's own clients and stock ones, on one topic.
 */
@Tag("full")
final class RefusingDiskTest {
    private static final String TOPIC = "refused";
    private static final int SENDERS = 6;
    private static final int LOADED = 300;
    private static final int FIRST_CALL = 20;
    private static final int CALLS = 150;
    private static final int EXIT_LOG_FAILED = 5;
    /** The drain may take longer than our patience: after a failure there is nothing to wait for. */
    private static final Map<String, String> SETTINGS =
            Map.of("flushDiskType", "SYNC_FLUSH", "shutdownWaitTimeSeconds", "120");

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @ParameterizedTest(
            name = "K12 {0}: no success after the failure, and nobody was told or shown what is gone after the restart")
    @EnumSource
    void nothingToldOrShownIsLostWhenTheDiskRefusesAndThenLosesPower(RefusingDisk disk) throws Exception {
        Tracer.require();
        int firstCall = FIRST_CALL + new Random(disk.name().hashCode()).nextInt(CALLS);
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), SETTINGS)) {
            String namesrv = names.target().namesrv();
            Load load = refuseUnderLoad(disk, firstCall, broker, namesrv);
            long synced = RefusingDisk.syncedEnd(load.calls());
            checkNothingBehind(synced, load);
            RefusingDisk.dropBehind(store().resolve("commitlog"), synced);
            broker.start();
            checkAllIsThere(namesrv, load);
        }
    }

    /** What was told and shown, and the system calls of the broker since it was traced. */
    private record Load(SentRecord sent, SeenRecord seen, StockLoad stock, SystemCalls calls) {}

    private Path store() {
        return folder.resolve("broker").resolve("store");
    }

    private Load refuseUnderLoad(RefusingDisk disk, int firstCall, PerigeeProcess broker, String namesrv)
            throws Exception {
        SentRecord sent = new SentRecord(producer(namesrv), TOPIC, SENDERS);
        try (sent) {
            awaitAcknowledgements(sent, LOADED);
            StockLoad stock = new StockLoad(folder.resolve("stock"), namesrv, TOPIC);
            SeenRecord seen = new SeenRecord(namesrv, TOPIC);
            try (stock;
                    seen) {
                Awaitility.await("messages seen")
                        .atMost(PATIENCE)
                        .until(() -> seen.seen().size() > LOADED);
                return new Load(sent, seen, stock, callsUntilTheEnd(disk, firstCall, broker, sent));
            }
        }
    }

    private SystemCalls callsUntilTheEnd(RefusingDisk disk, int firstCall, PerigeeProcess broker, SentRecord sent)
            throws Exception {
        try (Tracer tracer = disk.attach(broker.process().pid(), folder.resolve("calls.txt"), firstCall)) {
            awaitEnd(disk, broker, sent);
            SystemCalls calls = tracer.detach();
            assertThat(RefusingDisk.refused(calls)).as("a call was refused").isTrue();
            return calls;
        }
    }

    private static Producer producer(String namesrv) throws Exception {
        Producer producer = Producer.builder()
                .nameServers(namesrv)
                .group("refused_sender")
                .sendTimeoutMs(2_000)
                .maxTries(1) // what the broker says to a send is not hidden behind what it says to the next try
                .build();
        producer.start();
        return producer;
    }

    private static void awaitAcknowledgements(SentRecord sent, int count) {
        Awaitility.await("acknowledgements")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> sent.acknowledgements() >= count);
    }

    /** Left alone the broker ends by itself with the documented code; once it is killed as soon as it has said what is wrong. */
    private void awaitEnd(RefusingDisk disk, PerigeeProcess broker, SentRecord sent) {
        if (disk == RefusingDisk.EVERY_SYNC_FAILS) {
            Awaitility.await("the broker says that its log failed")
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> brokerLog().contains("event=log_failed"));
            broker.kill();
            return;
        }
        assertThat(broker.process().awaitExit(PATIENCE)).as("exit code").isEqualTo(EXIT_LOG_FAILED);
        assertThat(broker.process().stderr()).contains("the log cannot be written any more");
        assertThat(brokerLog()).contains("event=log_failed endOffset=");
        assertThat(sent.refusals())
                .as("what sends were told; the first only where one was on its way when it failed")
                .anyMatch(text ->
                        text.startsWith("the log failed while") || text.endsWith("it is stopping or has failed"));
    }

    private String brokerLog() {
        try {
            return Files.readString(store().resolve("logs").resolve("perigee.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void checkNothingBehind(long synced, Load load) {
        load.sent()
                .acknowledged()
                .forEach((key, place) -> assertThat(
                                MessageId.parse(place.offsetMessageId()).physicalOffset())
                        .as("%s was acknowledged, and the log was synced to %d only", key, synced)
                        .isLessThan(synced));
        load.seen()
                .seen()
                .forEach((place, message) -> assertThat(message.physicalOffset() + message.storeSizeBytes())
                        .as("%s was shown, and the log was synced to %d only", place, synced)
                        .isLessThanOrEqualTo(synced));
        load.stock()
                .acknowledged()
                .forEach(place -> assertThat(
                                MessageId.parse(place.offsetMsgId()).physicalOffset())
                        .as("%s was acknowledged to a stock producer, and the log was synced to %d only", place, synced)
                        .isLessThan(synced));
    }

    private static void checkAllIsThere(String namesrv, Load load) throws Exception {
        try (PullConsumer consumer = PullConsumer.builder()
                        .nameServers(namesrv)
                        .group("refused_reader")
                        .build();
                Producer producer = producer(namesrv)) {
            consumer.start();
            sendMore(consumer, producer);
            Map<SeenRecord.Place, String> stored = new HashMap<>();
            for (MessageExt message : QueueContents.read(consumer, TOPIC)) {
                stored.put(SeenRecord.Place.of(message), message.bodyText());
            }
            load.sent()
                    .acknowledged()
                    .forEach((key, place) -> assertThat(
                                    stored.get(new SeenRecord.Place(place.queueId(), place.queueOffset())))
                            .as("%s was acknowledged at %s", key, place)
                            .isEqualTo(SentRecord.bodyOf(key)));
            load.seen()
                    .seen()
                    .forEach((place, message) -> assertThat(stored.get(place))
                            .as("%s was shown", place)
                            .isEqualTo(message.bodyText()));
            checkStock(stored, load.stock());
        }
    }

    private static void checkStock(Map<SeenRecord.Place, String> stored, StockLoad stock) {
        assertThat(stock.acknowledged()).as("told to a stock producer").isNotEmpty();
        assertThat(stock.seen()).as("shown to a stock consumer").isNotEmpty();
        for (Sent told : stock.acknowledged()) {
            assertThat(stored.get(new SeenRecord.Place(told.queueId(), told.queueOffset())))
                    .as("%s was acknowledged to a stock producer", told)
                    .isEqualTo(StockLoad.BODY);
        }
        for (Received shown : stock.seen()) {
            assertThat(stored.get(new SeenRecord.Place(shown.queueId(), shown.queueOffset())))
                    .as("%s@%s was shown to a stock consumer", shown.queueId(), shown.queueOffset())
                    .isEqualTo(shown.body());
        }
    }

    /** New messages take places behind all that were told or shown; the caller finds an old one overwritten. */
    private static void sendMore(PullConsumer consumer, Producer producer) throws Exception {
        for (MessageQueue queue : consumer.queues(TOPIC)) {
            long end = consumer.maxOffset(queue);
            SendResult result = producer.send(Message.of(TOPIC, "after the restart"), queue);
            assertThat(result.queueOffset()).as("%s goes on", queue).isEqualTo(end);
        }
    }
}
