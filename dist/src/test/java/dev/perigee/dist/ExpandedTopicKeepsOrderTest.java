package dev.perigee.dist;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.admin.NameServerAdmin;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** What docs/messages.md says of order keys when queues are added to a topic. */
@ExtendWith(SharedUp.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExpandedTopicKeepsOrderTest {
    private static final int KEYS = 12;

    private final Queue<MessageExt> got = new ConcurrentLinkedQueue<>();
    private final Map<String, Integer> sent = new TreeMap<>();
    private final RunningUp up;
    private final AdminClient admin;

    ExpandedTopicKeepsOrderTest(RunningUp up) {
        this.up = up;
        admin = AdminClient.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .timeoutMs(60_000)
                .build();
    }

    @BeforeAll
    void starts() throws Exception {
        admin.start();
    }

    @AfterAll
    void stops() {
        admin.close();
    }

    private Producer producer() {
        Producer producer = Producer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group("senders")
                .sendTimeoutMs(60_000)
                .routeRefreshMs(50)
                .build();
        producer.start();
        return producer;
    }

    private PushConsumer consumer(String topic) throws Exception {
        PushConsumer consumer = PushConsumer.builder()
                .nameServers(up.nameServer())
                .callTimeoutMs(60_000)
                .group("of-" + topic)
                .routeRefreshMs(50)
                .consumeFrom(ConsumeFrom.firstOffset())
                .subscribe(topic, "*")
                .orderlyListener(messages -> {
                    got.addAll(messages);
                    return ConsumeResult.SUCCESS;
                })
                .build();
        consumer.start();
        return consumer;
    }

    /** Sends one more message of each key; its body is its number among those of the key. */
    private void round(Producer producer, String topic) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            String name = topic + "-key-" + key;
            int number = sent.merge(name, 1, Integer::sum);
            producer.sendOrdered(Message.builder(topic)
                    .body(Integer.toString(number))
                    .orderKey(name)
                    .build());
        }
    }

    private Map<String, List<String>> consumed(String topic) {
        Map<String, List<String>> byKey = new TreeMap<>();
        for (MessageExt message : got) {
            if (message.topic().equals(topic)) {
                byKey.computeIfAbsent(String.valueOf(message.property("__SHARDINGKEY")), key -> new ArrayList<>())
                        .add(message.bodyText());
            }
        }
        return byKey;
    }

    private void awaitAll(String topic) {
        RunningUp.await(() ->
                consumed(topic).values().stream().mapToInt(List::size).sum()
                        >= sent.entrySet().stream()
                                .filter(entry -> entry.getKey().startsWith(topic + "-"))
                                .mapToInt(Map.Entry::getValue)
                                .sum());
    }

    private void assertInOrder(String topic) {
        consumed(topic).forEach((key, bodies) -> {
            List<String> expected = new ArrayList<>();
            for (int number = 1; number <= sent.getOrDefault(key, 0); number++) {
                expected.add(Integer.toString(number));
            }
            assertThat(bodies).as(key).isEqualTo(expected);
        });
    }

    @Test
    void aTopicWhoseQueuesArePinnedKeepsItsOrderWhileQueuesAreAdded() throws Exception {
        up.queues("pinned", 2);
        String broker = admin.topics().queues("pinned").get(0).brokerName();
        admin.nameServers().updateConfig(up.nameServer(), Map.of("orderMessageEnable", "true"));
        admin.nameServers().putKv(NameServerAdmin.ORDER_TOPIC_CONFIG, "pinned", broker + ":2");
        try (Producer producer = producer();
                PushConsumer consumer = consumer("pinned")) {
            for (int i = 0; i < 5; i++) {
                round(producer, "pinned");
            }
            up.queues("pinned", 6);
            RunningUp.await(
                    () -> admin.topics().route("pinned").queueDatas().get(0).writeQueueNums() == 6);
            for (int i = 0; i < 15; i++) {
                round(producer, "pinned");
            }
            assertThat(producer.queues("pinned"))
                    .extracting(MessageQueue::queueId)
                    .containsExactly(0, 1);
            awaitAll("pinned");
            assertThat(consumer.clientId()).isNotEmpty();
        }
        assertInOrder("pinned");
        assertThat(got)
                .filteredOn(message -> message.topic().equals("pinned"))
                .allMatch(message -> message.queue().queueId() < 2);
    }

    @Test
    void aTopicThatIsReadToItsEndBeforeQueuesAreAddedKeepsItsOrder() throws Exception {
        up.queues("paused", 2);
        try (PushConsumer consumer = consumer("paused")) {
            try (Producer before = producer()) {
                for (int i = 0; i < 5; i++) {
                    round(before, "paused");
                }
            }
            awaitAll("paused");
            up.queues("paused", 6);
            try (Producer after = producer()) {
                RunningUp.await(() -> after.queues("paused").size() == 6);
                for (int i = 0; i < 5; i++) {
                    round(after, "paused");
                }
            }
            awaitAll("paused");
            assertThat(consumer.clientId()).isNotEmpty();
        }
        assertInOrder("paused");
        assertThat(got)
                .filteredOn(message -> message.topic().equals("paused"))
                .as("the new queues are used")
                .anyMatch(message -> message.queue().queueId() >= 2);
    }
}
