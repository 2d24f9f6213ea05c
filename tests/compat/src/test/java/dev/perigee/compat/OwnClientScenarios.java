package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.consumer.PushConsumerBuilder;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerConfig;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.selector.SelectMessageQueueByHash;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.Permission;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** What Perigee's own client does with any cluster, ours or a stock one. */
@SuppressWarnings("try") // consumers run while their resource is open, without being named
final class OwnClientScenarios {
    private static final int MEBIBYTE = 1 << 20;
    private static final Duration PATIENCE = OwnBench.PATIENCE;
    private static final long TIMEOUT_MS = OwnBench.TIMEOUT_MS;

    private final OwnBench bench;

    OwnClientScenarios(OwnBench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("every way of sending stores the message once", this::sendsInEveryWay),
                new Scenario("asynchronous sends keep their order in a chosen queue", this::keepsOrder),
                new Scenario("a group that starts at the end gets all that follows", this::startsAtTheEnd),
                new Scenario("a listener gets only the tags it asked for", this::filtersTags),
                new Scenario("a failed message comes again", this::retries),
                new Scenario("an orderly listener sees each queue in order", this::consumesInOrder),
                new Scenario("every broadcasting member gets everything", this::broadcasts),
                new Scenario("two members share the queues and lose nothing when one leaves", this::rebalances),
                new Scenario("bodies compressed by every codec come back", this::compresses),
                new Scenario("stored messages are found by id, key and place", this::looksUp),
                new Scenario("topics, groups and brokers are described", this::administers),
                new Scenario("a batch beyond the limit is refused whole", this::refusesLargeBatch),
                new Scenario("a topic without write permission refuses by name", this::refuses));
    }

    private void sendsInEveryWay() throws Exception {
        String topic = bench.topic("send", 4);
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer();
                PushConsumer ignored = OwnBench.collecting(bench.consumer(OwnBench.fresh("g"), topic), got)) {
            assertThat(producer.send(Message.of(topic, "sync")).status()).isEqualTo(SendStatus.SEND_OK);
            MessageQueue queue = producer.queues(topic).get(2);
            assertThat(producer.send(Message.of(topic, "queue"), queue).queue()).isEqualTo(queue);
            producer.send(Message.of(topic, "selector"), new SelectMessageQueueByHash<>(), "key");
            producer.send(List.of(Message.of(topic, "batch1"), Message.of(topic, "batch2")));
            producer.sendAsync(Message.of(topic, "async")).get();
            producer.sendOneway(Message.of(topic, "oneway"));
            OwnBench.await(got, 7);
        }
        assertThat(got).containsExactlyInAnyOrder("sync", "queue", "selector", "batch1", "batch2", "async", "oneway");
    }

    private void keepsOrder() throws Exception {
        String topic = bench.topic("order", 2);
        try (Producer producer = bench.producer();
                AdminClient admin = bench.admin()) {
            MessageQueue queue = producer.queues(topic).get(1);
            List<CompletableFuture<SendResult>> results = new ArrayList<>();
            for (int i = 0; i < 3_000; i++) {
                results.add(producer.sendAsync(Message.of(topic, "m" + i), queue));
            }
            for (int i = 0; i < results.size(); i++) {
                assertThat(results.get(i).get().queueOffset()).isEqualTo(i);
            }
            assertThat(producer.metrics().requests()).isLessThan(1_000);
            SendResult last = results.get(2_999).get();
            assertThat(admin.messages().byOffsetId(last.offsetMessageId()))
                    .hasValueSatisfying(m -> assertThat(m.bodyText()).isEqualTo("m2999"));
        }
    }

    private void startsAtTheEnd() throws Exception {
        String topic = bench.topic("end", 4);
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer()) {
            try (PushConsumer ignored = OwnBench.collecting(
                    bench.consumer(OwnBench.fresh("g"), topic).consumeFrom(ConsumeFrom.lastOffset()), got)) {
                for (int i = 0; i < 100; i++) {
                    producer.send(Message.of(topic, "m" + i));
                }
                OwnBench.await(got, 100);
            }
        }
        assertThat(got).hasSize(100);
    }

    private void filtersTags() throws Exception {
        String topic = bench.topic("tags", 2);
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer();
                PushConsumer ignored = OwnBench.collecting(
                        bench.consumer(OwnBench.fresh("g"), topic).subscribe(topic, "AaBB || last"), got)) {
            for (String tag : List.of("AaBB", "BBAa", "other", "last")) {
                producer.send(Message.builder(topic).body(tag).tag(tag).build());
            }
            OwnBench.await(got, 2);
        }
        assertThat(got).containsExactlyInAnyOrder("AaBB", "last");
    }

    private void retries() throws Exception {
        String topic = bench.topic("retry", 1);
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer();
                PushConsumer consumer = bench.consumer(OwnBench.fresh("g"), topic)
                        .listener(messages -> {
                            MessageExt message = messages.get(0);
                            got.add(message.topic() + "/" + message.bodyText() + "/" + message.reconsumeTimes());
                            return message.reconsumeTimes() == 0 ? ConsumeResult.LATER : ConsumeResult.SUCCESS;
                        })
                        .build()) {
            consumer.start();
            producer.send(Message.of(topic, "m"));
            OwnBench.await(got, 2);
        }
        assertThat(got).containsExactly(topic + "/m/0", topic + "/m/1");
    }

    private void consumesInOrder() throws Exception {
        String topic = bench.topic("orderly", 4);
        Map<Integer, List<Long>> seen = new ConcurrentHashMap<>();
        AtomicInteger count = new AtomicInteger();
        try (Producer producer = bench.producer();
                PushConsumer consumer = bench.consumer(OwnBench.fresh("g"), topic)
                        .orderlyListener(messages -> {
                            MessageExt message = messages.get(0);
                            seen.computeIfAbsent(
                                            message.queueId(), q -> Collections.synchronizedList(new ArrayList<>()))
                                    .add(message.queueOffset());
                            count.incrementAndGet();
                            return ConsumeResult.SUCCESS;
                        })
                        .build()) {
            for (int i = 0; i < 200; i++) {
                producer.sendAsync(Message.of(topic, "m" + i), new SelectMessageQueueByHash<>(), i)
                        .get();
            }
            consumer.start();
            Awaitility.await().atMost(PATIENCE).until(() -> count.get() == 200);
        }
        assertThat(seen.values())
                .allSatisfy(offsets -> assertThat(offsets).isSorted().doesNotHaveDuplicates());
    }

    private void broadcasts() throws Exception {
        String topic = bench.topic("broadcast", 2);
        String group = OwnBench.fresh("g");
        Queue<String> first = new ConcurrentLinkedQueue<>();
        Queue<String> second = new ConcurrentLinkedQueue<>();
        PushConsumerBuilder one = bench.consumer(group, topic)
                .model(MessageModel.BROADCASTING)
                .instanceName("one")
                .offsetFolder(bench.folder().resolve(group));
        PushConsumerBuilder two = bench.consumer(group, topic)
                .model(MessageModel.BROADCASTING)
                .instanceName("two")
                .offsetFolder(bench.folder().resolve(group));
        try (Producer producer = bench.producer();
                PushConsumer ignored = OwnBench.collecting(one, first);
                PushConsumer alsoIgnored = OwnBench.collecting(two, second)) {
            for (int i = 0; i < 20; i++) {
                producer.send(Message.of(topic, "m" + i));
            }
            OwnBench.await(first, 20);
            OwnBench.await(second, 20);
        }
        Queue<String> again = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer();
                PushConsumer ignored = OwnBench.collecting(one, again)) {
            producer.send(Message.of(topic, "next"));
            OwnBench.await(again, 1);
        }
        assertThat(again).containsExactly("next");
    }

    private void rebalances() throws Exception {
        String topic = bench.topic("rebalance", 8);
        String group = OwnBench.fresh("g");
        Set<String> all = ConcurrentHashMap.newKeySet();
        Queue<String> first = new ConcurrentLinkedQueue<>();
        Queue<String> second = new ConcurrentLinkedQueue<>();
        try (Producer producer = bench.producer();
                PushConsumer ignored = OwnBench.collecting(bench.consumer(group, topic), first)) {
            try (PushConsumer leaving = OwnBench.collecting(bench.consumer(group, topic), second)) {
                int[] sent = {0};
                Awaitility.await().atMost(PATIENCE).until(() -> {
                    for (MessageQueue queue : producer.queues(topic)) {
                        producer.send(Message.of(topic, "m" + sent[0]++), queue);
                    }
                    return !first.isEmpty() && second.size() >= 8;
                });
                leaving.close();
                for (MessageQueue queue : producer.queues(topic)) {
                    producer.send(Message.of(topic, "m" + sent[0]++), queue);
                }
                Awaitility.await().atMost(PATIENCE).until(() -> {
                    all.addAll(first);
                    all.addAll(second);
                    return all.size() == sent[0];
                });
            }
        }
    }

    private void compresses() throws Exception {
        String topic = bench.topic("compress", 1);
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (PushConsumer ignored = OwnBench.collecting(bench.consumer(OwnBench.fresh("g"), topic), got)) {
            for (CompressionType type : CompressionType.values()) {
                try (Producer producer = Producer.builder()
                        .nameServers(bench.target().namesrv())
                        .sendTimeoutMs(TIMEOUT_MS)
                        .compression(new ProducerConfig.Compression(type, 5, 1_000))
                        .build()) {
                    producer.start();
                    producer.send(Message.of(topic, type.name().repeat(2_000)));
                }
            }
            OwnBench.await(got, 3);
        }
        assertThat(got).containsExactlyInAnyOrder("LZ4".repeat(2_000), "ZSTD".repeat(2_000), "ZLIB".repeat(2_000));
    }

    private void looksUp() throws Exception {
        String topic = bench.topic("lookup", 1);
        try (Producer producer = bench.producer();
                AdminClient admin = bench.admin()) {
            SendResult sent = producer.send(
                    Message.builder(topic).body("found").keys("k1", "k2").build());
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> admin.messages()
                            .byUniqueKey(topic, sent.messageId())
                            .isPresent());
            assertThat(admin.messages()
                            .byKey(topic, "k2", 32, 0, Long.MAX_VALUE)
                            .messages())
                    .singleElement()
                    .satisfies(m -> assertThat(m.bodyText()).isEqualTo("found"));
            assertThat(admin.messages().byOffsetId(sent.offsetMessageId())).isPresent();
            assertThat(admin.messages().byQueueOffset(sent.queue(), sent.queueOffset()))
                    .isPresent();
            assertThat(admin.messages()
                            .byKey(topic, "nothing", 32, 0, Long.MAX_VALUE)
                            .messages())
                    .isEmpty();
        }
    }

    private void administers() throws Exception {
        String topic = bench.topic("admin", 3);
        String group = OwnBench.fresh("g");
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (AdminClient admin = bench.admin();
                Producer producer = bench.producer();
                PushConsumer consumer = OwnBench.collecting(bench.consumer(group, topic), got)) {
            producer.send(Message.of(topic, "m"));
            OwnBench.await(got, 1);
            assertThat(admin.topics().list()).contains(topic);
            assertThat(admin.topics().queues(topic)).hasSize(3);
            assertThat(admin.topics().stats(topic).offsetTable()).hasSize(3);
            assertThat(admin.groups().connections(group).connectionSet())
                    .singleElement()
                    .satisfies(c -> assertThat(c.clientId()).isEqualTo(consumer.clientId()));
            assertThat(admin.groups()
                            .runningInfo(
                                    group,
                                    consumer.clientId(),
                                    false,
                                    bench.target().broker())
                            .mqTable())
                    .hasSizeGreaterThanOrEqualTo(3);
            assertThat(admin.groups().list()).containsKey(group);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> admin.groups().progress(group, topic).offsetTable().values().stream()
                                    .mapToLong(q -> q.consumerOffset())
                                    .sum()
                            == 1);
            assertThat(admin.brokers().runtimeInfo(bench.target().broker())).containsKey("brokerVersionDesc");
            assertThat(admin.brokers().config(bench.target().broker())).containsKey("brokerName");
            assertThat(admin.brokers().cluster().brokerAddrTable()).isNotEmpty();
            admin.topics().delete(topic);
            assertThat(admin.topics().exists(topic)).isFalse();
        }
    }

    private void refusesLargeBatch() throws Exception {
        String topic = bench.topic("bigbatch", 1);
        List<Message> batch = new ArrayList<>();
        Random random = new Random(5);
        for (int i = 0; i < 5; i++) {
            byte[] body = new byte[MEBIBYTE];
            random.nextBytes(body);
            batch.add(Message.of(topic, body));
        }
        try (AdminClient admin = bench.admin();
                Producer producer = bench.producer();
                Producer generous = Producer.builder()
                        .nameServers(bench.target().namesrv())
                        .sendTimeoutMs(TIMEOUT_MS)
                        .maxMessageBytes(16 * MEBIBYTE)
                        .build()) {
            generous.start();
            assertThatThrownBy(() -> producer.send(batch))
                    .isInstanceOf(InvalidMessageException.class)
                    .hasMessageContaining(Integer.toString(4 * MEBIBYTE));
            assertThatThrownBy(() -> generous.send(batch))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            // A stock broker has no code for that.
                            refused -> assertThat(refused.code())
                                    .isIn(ResponseCode.MESSAGE_ILLEGAL, ResponseCode.SYSTEM_ERROR));
            assertThat(admin.topics().maxOffset(producer.queues(topic).get(0))).isZero();
        }
    }

    private void refuses() throws Exception {
        String topic = bench.topic("readonly", 1);
        try (AdminClient admin = bench.admin()) {
            assertThatThrownBy(() -> admin.groups().connections(OwnBench.fresh("nobody")))
                    .isInstanceOfSatisfying(
                            RefusedException.class,
                            refused -> assertThat(refused.code()).isEqualTo(206));
            admin.topics().updatePermission(topic, bench.target().broker(), Permission.READ);
            assertThat(admin.topics().config(topic, bench.target().broker()).perm())
                    .isEqualTo(Permission.READ);
        }
    }
}
