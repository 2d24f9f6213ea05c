package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.compat.PerigeeProcess;
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

/** A broker that is killed again and again while it is under load loses nothing it acknowledged. */
@Tag("full")
final class KilledBrokerTest {
    private static final int KILLS = 50;
    private static final int SENDERS = 4;
    private static final String TOPIC = "killed";

    @TempDir
    private Path folder;

    @Test
    void nothingAcknowledgedIsLostInFiftyKills() throws Exception {
        Random random = new Random(20261129);
        try (PerigeeProcess names = PerigeeProcess.namesrv(folder.resolve("names"));
                PerigeeProcess broker = PerigeeProcess.broker(
                        folder.resolve("broker"), names.target().namesrv(), Map.of())) {
            String namesrv = names.target().namesrv();
            SentRecord record = killUnderLoad(broker, namesrv, random);
            try (PullConsumer consumer = PullConsumer.builder()
                    .nameServers(namesrv)
                    .group("killed_reader")
                    .build()) {
                consumer.start();
                check(record, QueueContents.read(consumer, TOPIC));
            }
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
            for (int kill = 0; kill < KILLS; kill++) {
                long target = record.acknowledgements() + 1 + random.nextInt(400);
                Awaitility.await("acknowledgements before kill " + kill)
                        .atMost(Duration.ofSeconds(60))
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> record.acknowledgements() >= target);
                broker.kill();
                broker.start();
            }
        }
        return record;
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
