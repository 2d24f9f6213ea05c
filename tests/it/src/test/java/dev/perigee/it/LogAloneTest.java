package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.harness.campaign.Folders;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.group.GroupRetryPolicy;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicFilterType;
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

/** Killed in mid-load and robbed of everything but the log folder, a broker comes back as the same broker. */
@Tag("full")
final class LogAloneTest {
    private static final String LOADED = "loaded";
    private static final int LOADED_QUEUES = 5;
    private static final String QUIET = "quiet";
    private static final int QUIET_QUEUES = 4;
    private static final int QUIET_MESSAGES = 600;
    private static final int GROUPS = 20;
    private static final int TOPICS = 30;
    private static final int MESSAGES = 3_000;
    private static final int RETRIES = 20;
    private static final int MOST_FOUND = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void theLogFolderAloneBringsBackRoutesTopicsGroupsOffsetsQueuesAndKeys() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"),
                        names.target().namesrv(),
                        Map.of("messageDelayLevel", WaitingRetries.LEVELS));
                RetryCalls calls = new RetryCalls(broker.target().broker());
                AdminClient admin = AdminClient.builder()
                        .nameServers(names.target().namesrv())
                        .callTimeoutMs(60_000)
                        .timeoutMs(60_000)
                        .build()) {
            admin.start();
            String namesrv = names.target().namesrv();
            BrokerModel model = new BrokerModel(admin, broker.target());
            tellTopicsAndGroups(model);
            KnownMessages quiet = sendKnown(namesrv, admin);
            Map<SeenRecord.Place, MessageExt> quietBefore = read(namesrv, quiet);
            WaitingRetries retries = new WaitingRetries(calls);
            retries.fail(RETRIES, 1);
            List<MessageExt> delivered = retries.awaitAll();
            Load load = killUnderLoad(namesrv, admin, model, broker, () -> retries.fail(RETRIES, 2));
            keepOnlyTheLog(folder.resolve("broker").resolve("store"));
            broker.start();

            retries.checkWaiting(RETRIES);
            model.check();
            try (PullConsumer consumer = reader(namesrv)) {
                consumer.start();
                quiet.checkQueues(consumer, quietBefore);
                Map<SeenRecord.Place, MessageExt> stored = checkLoadedQueues(consumer, load);
                checkLoadedKeys(admin, load.sent(), stored);
            }
            quiet.checkKeys(admin);
            retries.check(delivered);
            broker.kill();
            keepOnlyTheLog(folder.resolve("broker").resolve("store"));
            broker.start();
            retries.check(delivered);
        }
    }

    private static void tellTopicsAndGroups(BrokerModel model) throws ClientException {
        model.topic(TopicConfig.of(LOADED, LOADED_QUEUES));
        model.topic(TopicConfig.of(QUIET, QUIET_QUEUES));
        for (int i = 0; i < TOPICS; i++) {
            model.topic(topic(i, i));
            model.group(group(i % GROUPS, i));
        }
        for (int i = 0; i < TOPICS; i += 5) {
            model.deleteTopic("topic-" + i);
            model.group(group(i % GROUPS, i + 1)); // changed
        }
        for (int i = 0; i < TOPICS; i += 10) {
            model.topic(topic(i, i + 3)); // made again, otherwise
        }
        model.deleteGroup("group-7");
        model.deleteGroup("group-8");
        model.group(group(8, 3));
    }

    /** A topic whose settings all depend on {@code kind}. */
    private static TopicConfig topic(int number, int kind) {
        int[] permissions = {6, 4, 2};
        return new TopicConfig(
                "topic-" + number,
                1 + kind % 7,
                1 + kind % 5,
                permissions[kind % permissions.length],
                kind % 2 == 0 ? TopicFilterType.SINGLE_TAG : TopicFilterType.MULTI_TAG,
                kind % 4,
                kind % 3 == 0,
                kind % 2 == 0 ? Map.of() : Map.of("message.type", kind % 4 == 1 ? "FIFO" : "NORMAL"));
    }

    /** A group whose settings all depend on {@code kind}. */
    private static SubscriptionGroupConfig group(int number, int kind) {
        return new SubscriptionGroupConfig(
                "group-" + number,
                kind % 3 != 0,
                kind % 2 == 0,
                kind % 4 != 1,
                kind % 5 == 0,
                1 + kind % 4,
                kind - 1,
                kind % 6 == 0
                        ? new GroupRetryPolicy("EXPONENTIAL", Map.of("initial", 5_000, "multiplier", kind), null)
                        : null,
                0,
                1,
                kind % 2 == 1,
                kind % 2,
                15 + kind,
                null,
                Map.of());
    }

    private static Producer producer(String namesrv) throws ClientException {
        Producer producer = Producer.builder()
                .nameServers(namesrv)
                .group("log_alone_sender")
                .sendTimeoutMs(2_000)
                .build();
        producer.start();
        return producer;
    }

    private static PullConsumer reader(String namesrv) {
        return PullConsumer.builder()
                .nameServers(namesrv)
                .group("log_alone_reader")
                .autoCommitMs(0)
                .build();
    }

    private static KnownMessages sendKnown(String namesrv, AdminClient admin) throws ClientException {
        KnownMessages quiet = new KnownMessages(QUIET);
        try (Producer producer = producer(namesrv)) {
            quiet.send(producer, admin.topics().queues(QUIET), QUIET_MESSAGES);
        }
        return quiet;
    }

    private static Map<SeenRecord.Place, MessageExt> read(String namesrv, KnownMessages quiet) throws ClientException {
        try (PullConsumer consumer = reader(namesrv)) {
            consumer.start();
            return quiet.contents(consumer);
        }
    }

    /** What was sent to the loaded topic and what a consumer was shown of it before the kill. */
    private record Load(SentRecord sent, Map<SeenRecord.Place, MessageExt> seen) {}

    /** What is done last before the kill. */
    private interface Last {
        void doIt() throws Exception;
    }

    private static Load killUnderLoad(
            String namesrv, AdminClient admin, BrokerModel model, PerigeeProcess broker, Last last) throws Exception {
        SentRecord sent = new SentRecord(producer(namesrv), LOADED, 4);
        SeenRecord seen = new SeenRecord(namesrv, LOADED);
        try (sent;
                seen) {
            awaitAcknowledgements(sent, MESSAGES / 2);
            commitOffsets(admin, model);
            awaitAcknowledgements(sent, MESSAGES);
            Awaitility.await("messages seen before the kill")
                    .atMost(PATIENCE)
                    .until(() -> seen.seen().size() > MESSAGES / 2);
            last.doIt();
            broker.kill();
        }
        return new Load(sent, seen.seen());
    }

    private static void awaitAcknowledgements(SentRecord record, int count) {
        Awaitility.await("acknowledgements")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> record.acknowledgements() >= count);
    }

    /** Of every group on every queue of both topics; some forward and then back. */
    private static void commitOffsets(AdminClient admin, BrokerModel model) throws ClientException {
        int number = 0;
        for (String group : model.groupNames()) {
            for (String topic : List.of(LOADED, QUIET)) {
                for (MessageQueue queue : admin.topics().queues(topic)) {
                    long end = admin.topics().maxOffset(queue);
                    long offset = number++ * 3L % (end + 1);
                    if (number % 4 == 0) {
                        model.offset(group, queue, end);
                    }
                    model.offset(group, queue, offset);
                }
            }
        }
    }

    static void keepOnlyTheLog(Path store) throws IOException {
        try (Stream<Path> entries = Files.list(store)) {
            for (Path entry : entries.toList()) {
                if (!entry.getFileName().toString().equals("commitlog")) {
                    Folders.delete(entry);
                }
            }
        }
        assertThat(store.toFile().list()).containsExactly("commitlog");
    }

    /** Gives what the loaded topic holds: nothing but what was sent, all that was acknowledged or shown, without a gap. */
    private static Map<SeenRecord.Place, MessageExt> checkLoadedQueues(PullConsumer consumer, Load load)
            throws ClientException {
        Map<SeenRecord.Place, MessageExt> stored = new HashMap<>();
        Map<Integer, Long> counts = new HashMap<>();
        for (MessageExt message : QueueContents.read(consumer, LOADED)) {
            stored.put(SeenRecord.Place.of(message), message);
            counts.merge(message.queueId(), 1L, Long::sum);
            String key = SentRecord.keyOf(message);
            assertThat(load.sent().tried()).as("phantom").contains(key);
            SentRecord.checkParts(message, key);
        }
        assertThat(consumer.queues(LOADED)).hasSize(LOADED_QUEUES);
        for (MessageQueue queue : consumer.queues(LOADED)) {
            assertThat(consumer.minOffset(queue)).as("first of %s", queue).isZero();
            assertThat(consumer.maxOffset(queue))
                    .as("end of %s", queue)
                    .isEqualTo(counts.getOrDefault(queue.queueId(), 0L));
        }
        load.sent().acknowledged().forEach((key, place) -> {
            MessageExt message = Objects.requireNonNull(
                    stored.get(new SeenRecord.Place(place.queueId(), place.queueOffset())),
                    () -> "acknowledged and lost: " + key);
            assertThat(SentRecord.keyOf(message)).isEqualTo(key);
            assertThat(message.offsetMessageId()).isEqualTo(place.offsetMessageId());
            assertThat(message.messageId()).isEqualTo(place.messageId());
        });
        load.seen()
                .forEach((place, message) -> KnownMessages.checkSame(
                        Objects.requireNonNull(stored.get(place), () -> "shown and lost: " + place), message));
        return stored;
    }

    /** Each key of each message, and each unique key, finds what the queues hold under it. */
    private static void checkLoadedKeys(AdminClient admin, SentRecord sent, Map<SeenRecord.Place, MessageExt> stored)
            throws ClientException {
        Map<String, List<SeenRecord.Place>> placesByKey = new HashMap<>();
        stored.forEach((place, message) -> message.keys()
                .forEach(key -> placesByKey
                        .computeIfAbsent(key, unused -> new ArrayList<>())
                        .add(place)));
        for (Map.Entry<String, List<SeenRecord.Place>> entry : placesByKey.entrySet()) {
            assertThat(admin.messages()
                            .byKey(LOADED, entry.getKey(), MOST_FOUND, 0, Long.MAX_VALUE)
                            .messages())
                    .as("key %s", entry.getKey())
                    .extracting(SeenRecord.Place::of)
                    .containsExactlyInAnyOrderElementsOf(entry.getValue());
        }
        for (SentRecord.Place place : sent.acknowledged().values()) {
            assertThat(admin.messages().byUniqueKey(LOADED, place.messageId()))
                    .as("unique key %s", place.messageId())
                    .map(MessageExt::messageId)
                    .hasValue(place.messageId());
        }
        assertThat(admin.messages()
                        .byKey(LOADED, "key-never", MOST_FOUND, 0, Long.MAX_VALUE)
                        .messages())
                .isEmpty();
    }
}
