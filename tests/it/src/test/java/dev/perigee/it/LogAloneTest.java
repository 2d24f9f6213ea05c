package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.compat.PerigeeProcess;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.topic.TopicConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Killed in mid-load and robbed of everything but the log folder, a broker comes back as the same broker. */
@Tag("full")
final class LogAloneTest {
    private static final String TOPIC = "loaded";
    private static final int LOADED_QUEUES = 5;
    private static final int GROUPS = 20;
    private static final int TOPICS = 30;
    private static final int MESSAGES = 3_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    @Test
    void theLogFolderAloneBringsBackRoutesTopicsGroupsOffsetsQueuesAndKeys() throws Exception {
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), Map.of());
                AdminClient admin = AdminClient.builder()
                        .nameServers(names.target().namesrv())
                        .build()) {
            admin.start();
            String namesrv = names.target().namesrv();
            String address = broker.target().broker();
            createTopicsAndGroups(admin, address);
            SentRecord record = load(namesrv, admin, broker);
            keepOnlyTheLog(folder.resolve("broker").resolve("store"));
            broker.start();
            checkTopicsAndRoutes(admin, address);
            checkGroupsAndOffsets(admin, address);
            checkQueues(namesrv, record);
            checkKeys(admin, record);
        }
    }

    private static void createTopicsAndGroups(AdminClient admin, String address) throws ClientException {
        for (int i = 0; i < TOPICS; i++) {
            admin.topics().createOrUpdate(TopicConfig.of("topic-" + i, 1 + i % 7), List.of(address));
        }
        admin.topics().createOrUpdate(TopicConfig.of(TOPIC, LOADED_QUEUES), List.of(address));
        for (int i = 0; i < TOPICS; i += 10) {
            admin.topics().delete("topic-" + i);
        }
        for (int i = 0; i < GROUPS; i++) {
            admin.groups().createOrUpdate(SubscriptionGroupConfig.of("group-" + i), List.of(address));
        }
    }

    private static SentRecord load(String namesrv, AdminClient admin, PerigeeProcess broker) throws Exception {
        Producer producer = Producer.builder()
                .nameServers(namesrv)
                .group("log_alone_sender")
                .sendTimeoutMs(2_000)
                .build();
        producer.start();
        SentRecord record = new SentRecord(producer, TOPIC, 4);
        try (record) {
            awaitAcknowledgements(record, MESSAGES / 2);
            commitOffsets(admin);
            awaitAcknowledgements(record, MESSAGES);
            broker.kill();
        }
        return record;
    }

    private static void awaitAcknowledgements(SentRecord record, int count) {
        Awaitility.await("acknowledgements")
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> record.acknowledgements() >= count);
    }

    /** Every offset is read back: an offset that a query returned is durable from then on. */
    private static void commitOffsets(AdminClient admin) throws ClientException {
        for (int group = 0; group < GROUPS; group++) {
            for (MessageQueue queue : admin.topics().queues(TOPIC)) {
                admin.groups().updateOffset("group-" + group, queue, committed(group, queue.queueId()));
                OptionalLong seen = admin.groups().offset("group-" + group, queue);
                assertThat(seen).hasValue(committed(group, queue.queueId()));
            }
        }
    }

    private static long committed(int group, int queueId) {
        return group * 3L + queueId;
    }

    private static void keepOnlyTheLog(Path store) throws IOException {
        try (Stream<Path> entries = Files.list(store)) {
            for (Path entry : entries.toList()) {
                if (!entry.getFileName().toString().equals("commitlog")) {
                    delete(entry);
                }
            }
        }
        assertThat(store.toFile().list()).containsExactly("commitlog");
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path path : walk.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static void checkTopicsAndRoutes(AdminClient admin, String address) throws ClientException {
        Map<String, TopicConfig> configs = admin.topics().allConfigs(address).topicConfigTable();
        for (int i = 0; i < TOPICS; i++) {
            String topic = "topic-" + i;
            if (i % 10 == 0) {
                assertThat(configs).doesNotContainKey(topic);
                continue;
            }
            assertThat(configs).containsEntry(topic, TopicConfig.of(topic, 1 + i % 7));
            List<QueueData> queues = admin.topics().route(topic).queueDatas();
            assertThat(queues).hasSize(1);
            assertThat(queues.get(0).readQueueNums()).as(topic).isEqualTo(1 + i % 7);
            assertThat(queues.get(0).writeQueueNums()).as(topic).isEqualTo(1 + i % 7);
        }
    }

    private static void checkGroupsAndOffsets(AdminClient admin, String address) throws ClientException {
        Map<String, SubscriptionGroupConfig> groups =
                admin.groups().allConfigs(address).subscriptionGroupTable();
        for (int group = 0; group < GROUPS; group++) {
            assertThat(groups).containsEntry("group-" + group, SubscriptionGroupConfig.of("group-" + group));
            for (MessageQueue queue : admin.topics().queues(TOPIC)) {
                assertThat(admin.groups().offset("group-" + group, queue))
                        .as("offset of group-%d on %s", group, queue)
                        .hasValue(committed(group, queue.queueId()));
            }
        }
    }

    private static void checkQueues(String namesrv, SentRecord record) throws ClientException {
        Map<String, MessageExt> byKey = new HashMap<>();
        try (PullConsumer consumer = PullConsumer.builder()
                .nameServers(namesrv)
                .group("log_alone_reader")
                .build()) {
            consumer.start();
            assertThat(consumer.queues(TOPIC)).hasSize(LOADED_QUEUES);
            for (MessageExt message : QueueContents.read(consumer, TOPIC)) {
                byKey.put(message.properties().getOrDefault("KEYS", ""), message);
            }
        }
        assertThat(record.tried()).containsAll(byKey.keySet());
        record.acknowledged().forEach((key, place) -> {
            MessageExt message = Objects.requireNonNull(byKey.get(key), () -> "acknowledged and lost: " + key);
            assertThat(message.queueId()).isEqualTo(place.queueId());
            assertThat(message.queueOffset()).isEqualTo(place.queueOffset());
            assertThat(message.bodyText()).isEqualTo(SentRecord.bodyOf(key));
        });
    }

    private static void checkKeys(AdminClient admin, SentRecord record) throws ClientException {
        for (Map.Entry<String, SentRecord.Place> entry : record.acknowledged().entrySet()) {
            List<MessageExt> found = admin.messages().byKey(TOPIC, entry.getKey(), 10, 0, Long.MAX_VALUE);
            assertThat(found).as("key %s", entry.getKey()).hasSize(1);
            assertThat(found.get(0).queueOffset()).isEqualTo(entry.getValue().queueOffset());
            assertThat(found.get(0).queueId()).isEqualTo(entry.getValue().queueId());
        }
        assertThat(admin.messages().byKey(TOPIC, "key-never", 10, 0, Long.MAX_VALUE))
                .isEmpty();
    }
}
