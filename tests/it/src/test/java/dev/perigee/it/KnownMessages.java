package dev.perigee.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/** Messages of every kind sent one by one, all acknowledged: so it is known exactly what every queue and every key holds. */
final class KnownMessages {
    private static final int SHARED_BY = 20;
    private static final int LARGEST = 9_000;
    private static final int MOST_FOUND = 64;

    /** One message and where it is. */
    private record Known(Message message, SendResult result) {
        private SeenRecord.Place place() {
            return new SeenRecord.Place(result.queue().queueId(), result.queueOffset());
        }
    }

    private final Map<MessageQueue, List<Known>> queues = new TreeMap<>();
    private final Map<String, List<SeenRecord.Place>> placesByKey = new TreeMap<>();
    private final String topic;

    KnownMessages(String topic) {
        this.topic = topic;
    }

    /** Sends to the queues of the topic in turn; the last one stays empty. */
    void send(Producer producer, List<MessageQueue> all, int count) throws ClientException {
        Random random = new Random(topic.hashCode());
        all.forEach(queue -> queues.put(queue, new ArrayList<>()));
        for (int i = 0; i < count; i++) {
            MessageQueue queue = all.get(i % Math.max(1, all.size() - 1));
            Message message = message(i, random);
            SendResult result = producer.send(message, queue);
            assertThat(result.status()).isEqualTo(SendStatus.SEND_OK);
            Known known = new Known(message, result);
            Objects.requireNonNull(queues.get(queue)).add(known);
            for (String key : message.keys()) {
                placesByKey.computeIfAbsent(key, unused -> new ArrayList<>()).add(known.place());
            }
        }
    }

    private Message message(int number, Random random) {
        byte[] body = new byte[1 + random.nextInt(number % 10 == 0 ? LARGEST : 300)];
        if (number % 3 == 0) {
            random.nextBytes(body);
        }
        Message.Builder builder = Message.builder(topic)
                .body(body)
                .flag(number * 7)
                .property("number", Integer.toString(number))
                .property("text", "größe π 世界 " + "y".repeat(number % 50));
        if (number % 4 != 0) {
            builder.tag("tag-" + number % 4);
        }
        if (number % 5 != 0) {
            builder.keys("own-" + number, "shared-" + number / SHARED_BY);
        }
        return builder.build();
    }

    /** Every queue: its ends, and every message with all its parts, equal to what was sent and to what was read before. */
    void checkQueues(PullConsumer consumer, Map<SeenRecord.Place, MessageExt> before) throws ClientException {
        assertThat(consumer.queues(topic)).containsExactlyInAnyOrderElementsOf(queues.keySet());
        Map<SeenRecord.Place, MessageExt> stored = contents(consumer);
        for (Map.Entry<MessageQueue, List<Known>> queue : queues.entrySet()) {
            assertThat(consumer.minOffset(queue.getKey()))
                    .as("first of %s", queue.getKey())
                    .isZero();
            assertThat(consumer.maxOffset(queue.getKey()))
                    .as("end of %s", queue.getKey())
                    .isEqualTo(queue.getValue().size());
            for (Known known : queue.getValue()) {
                MessageExt message = Objects.requireNonNull(stored.get(known.place()), () -> "lost: " + known);
                checkParts(known, message);
            }
        }
        assertThat(stored).hasSameSizeAs(before);
        before.forEach((place, message) -> checkSame(Objects.requireNonNull(stored.get(place)), message));
    }

    /** Everything the topic holds now, by place. */
    Map<SeenRecord.Place, MessageExt> contents(PullConsumer consumer) throws ClientException {
        Map<SeenRecord.Place, MessageExt> stored = new HashMap<>();
        for (MessageExt message : QueueContents.read(consumer, topic)) {
            stored.put(SeenRecord.Place.of(message), message);
        }
        return stored;
    }

    private static void checkParts(Known known, MessageExt stored) {
        Message sent = known.message();
        assertThat(stored.body()).isEqualTo(sent.body());
        assertThat(stored.flag()).isEqualTo(sent.flag());
        assertThat(stored.tag()).isEqualTo(sent.tag());
        assertThat(stored.keys()).isEqualTo(sent.keys());
        assertThat(stored.properties()).containsAllEntriesOf(sent.properties());
        assertThat(stored.messageId()).isEqualTo(known.result().messageId());
        assertThat(stored.offsetMessageId()).isEqualTo(known.result().offsetMessageId());
    }

    /** Two readings of one message tell the same in every part. */
    static void checkSame(MessageExt now, MessageExt before) {
        assertThat(now.body()).as("body of %s", before).isEqualTo(before.body());
        assertThat(now.properties()).isEqualTo(before.properties());
        assertThat(now.flag()).isEqualTo(before.flag());
        assertThat(now.sysFlag()).isEqualTo(before.sysFlag());
        assertThat(now.physicalOffset()).isEqualTo(before.physicalOffset());
        assertThat(now.storeSizeBytes()).isEqualTo(before.storeSizeBytes());
        assertThat(now.bodyCrc()).isEqualTo(before.bodyCrc());
        assertThat(now.bornTimestampMs()).isEqualTo(before.bornTimestampMs());
        assertThat(now.storeTimestampMs()).isEqualTo(before.storeTimestampMs());
        assertThat(now.bornHost()).isEqualTo(before.bornHost());
        assertThat(now.storeHost()).isEqualTo(before.storeHost());
        assertThat(now.reconsumeTimes()).isEqualTo(before.reconsumeTimes());
    }

    /** Every key, shared ones too, finds its messages and no other; every unique key finds its one. */
    void checkKeys(AdminClient admin) throws ClientException {
        for (Map.Entry<String, List<SeenRecord.Place>> key : placesByKey.entrySet()) {
            assertThat(admin.messages()
                            .byKey(topic, key.getKey(), MOST_FOUND, 0, Long.MAX_VALUE)
                            .messages())
                    .as("key %s", key.getKey())
                    .extracting(SeenRecord.Place::of)
                    .containsExactlyInAnyOrderElementsOf(key.getValue());
        }
        for (List<Known> all : queues.values()) {
            for (Known known : all) {
                assertThat(admin.messages().byUniqueKey(topic, known.result().messageId()))
                        .as("unique key of %s", known)
                        .map(SeenRecord.Place::of)
                        .hasValue(known.place());
            }
        }
        assertThat(admin.messages()
                        .byKey(topic, "own-never", MOST_FOUND, 0, Long.MAX_VALUE)
                        .messages())
                .isEmpty();
    }
}
