package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.harness.JavaProcess;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.protocol.message.MessageExt;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A broker that is killed again and again while it is under load, and now and then while it starts, loses nothing it acknowledged. Its
 * segments are small, so that the log goes from one to the next between the kills.
 */
@Tag("full")
final class KilledBrokerTest {
    private static final int KILLS = 50;
    /** Every so many-th kill comes before the broker is ready. */
    private static final int STARTS_AMONG_KILLS = 5;

    private static final long EARLIEST_MS = 50;
    private static final int SENDERS = 4;
    private static final Map<String, String> SMALL_SEGMENTS = Map.of("mappedFileSizeCommitLog", "1048576");
    private static final int FEWEST_SEGMENTS = 4;
    private static final String TOPIC = "killed";

    @TempDir
    private Path folder;

    @Test
    void nothingAcknowledgedIsLostInFiftyKills() throws Exception {
        Random random = new Random(20261129);
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), SMALL_SEGMENTS)) {
            String namesrv = names.target().namesrv();
            SentRecord record = killUnderLoad(broker, namesrv, random);
            try (PullConsumer consumer = PullConsumer.builder()
                    .nameServers(namesrv)
                    .group("killed_reader")
                    .build()) {
                consumer.start();
                check(record, QueueContents.read(consumer, TOPIC));
            }
            assertThat(folder.resolve("broker/store/commitlog"))
                    .isDirectoryContaining(file ->
                            file.getFileName().toString().endsWith(Long.toString(FEWEST_SEGMENTS * (1L << 20))));
        }
    }

    private static SentRecord killUnderLoad(PerigeeProcess broker, String namesrv, Random random) throws Exception {
        Producer producer = Producer.builder()
                .nameServers(namesrv)
                .group("killed_sender")
                .sendTimeoutMs(2_000)
                .build();
        producer.start();
        SentRecord record = new SentRecord(producer, TOPIC, SENDERS);
        try (record) {
            long startMs = EARLIEST_MS;
            for (int kill = 1; kill <= KILLS; kill++) {
                if (kill % STARTS_AMONG_KILLS == 0) {
                    killStarting(broker, Duration.ofMillis(EARLIEST_MS + random.nextLong(startMs)));
                    startMs = start(broker);
                    continue;
                }
                long target = record.acknowledgements() + 1 + random.nextInt(400);
                Awaitility.await("acknowledgements before kill " + kill)
                        .atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> record.acknowledgements() >= target);
                broker.kill();
                if ((kill + 1) % STARTS_AMONG_KILLS != 0) {
                    startMs = start(broker);
                }
            }
        }
        return record;
    }

    /** How many milliseconds it took until it was ready. */
    private static long start(PerigeeProcess broker) throws Exception {
        long fromNs = System.nanoTime();
        broker.start();
        return Duration.ofNanos(System.nanoTime() - fromNs).toMillis();
    }

    /** Starts it and kills it at that age, whatever it is doing then. */
    private static void killStarting(PerigeeProcess broker, Duration age) throws Exception {
        JavaProcess started = broker.launch();
        Awaitility.await("the moment of the kill")
                .pollDelay(age)
                .atMost(age.plusSeconds(60))
                .until(() -> true);
        assertThat(started.isAlive())
                .as(() -> started.stdout() + started.stderr())
                .isTrue();
        broker.kill();
    }

    private static void check(SentRecord record, List<MessageExt> stored) {
        Map<String, MessageExt> byKey = new HashMap<>();
        Set<String> doubled = new HashSet<>();
        for (MessageExt message : stored) {
            String key = SentRecord.keyOf(message);
            SentRecord.checkParts(message, key);
            if (byKey.put(key, message) != null) {
                doubled.add(key);
            }
        }
        assertThat(byKey.keySet()).as("phantoms").isSubsetOf(record.tried());
        assertThat(byKey.keySet())
                .as("acknowledged and lost")
                .containsAll(record.acknowledged().keySet());
        record.acknowledged().forEach((key, place) -> {
            if (!doubled.contains(key)) {
                MessageExt message = Objects.requireNonNull(byKey.get(key), key);
                assertThat(message.queueId()).as(key).isEqualTo(place.queueId());
                assertThat(message.queueOffset()).as(key).isEqualTo(place.queueOffset());
            }
        });
        assertThat(record.acknowledged()).as("a load worth the name").hasSizeGreaterThan(KILLS);
    }
}
