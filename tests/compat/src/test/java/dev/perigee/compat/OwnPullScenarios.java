package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.harness.scenario.Scenario;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;

/** What Perigee's pull consumer does at a broker, ours or a stock one. */
final class OwnPullScenarios {
    private final OwnBench bench;

    OwnPullScenarios(OwnBench bench) {
        this.bench = bench;
    }

    List<Scenario> all() {
        return List.of(
                new Scenario("a pull consumer polls, seeks and commits", this::polls),
                new Scenario("the first commit of a group keeps every queue", this::commitsFirst));
    }

    private void polls() throws Exception {
        String topic = bench.topic("poll", 2);
        try (Producer producer = bench.producer();
                PullConsumer consumer = PullConsumer.builder()
                        .nameServers(bench.target().namesrv())
                        .callTimeoutMs(OwnBench.TIMEOUT_MS)
                        .group(OwnBench.fresh("g"))
                        .consumeFrom(ConsumeFrom.firstOffset())
                        .build()) {
            List<MessageQueue> queues = producer.queues(topic);
            for (int i = 0; i < 60; i++) {
                producer.send(Message.of(topic, "m" + i), queues.get(i % 2));
            }
            consumer.subscribe(topic, "*");
            consumer.start();
            Set<String> got = new HashSet<>();
            Awaitility.await().atMost(OwnBench.PATIENCE).until(() -> {
                consumer.poll(500).forEach(m -> got.add(m.bodyText()));
                return got.size() == 60;
            });
            consumer.commit();
            assertThat(consumer.committed(queues.get(0))).hasValue(30);
            consumer.seek(queues.get(0), 28);
            Set<String> again = new HashSet<>();
            Awaitility.await().atMost(OwnBench.PATIENCE).until(() -> {
                consumer.poll(500).forEach(m -> again.add(m.bodyText()));
                return again.size() == 2;
            });
            assertThat(consumer.pull(queues.get(1), "*", 29, 10).messages()).hasSize(1);
            assertThat(consumer.maxOffset(queues.get(1))).isEqualTo(30);
        }
    }

    /** Many groups, for a stock broker lost a queue only where two first commits met. */
    private void commitsFirst() throws Exception {
        String topic = bench.topic("first", 16);
        try (Producer producer = bench.producer()) {
            List<MessageQueue> queues = producer.queues(topic);
            for (MessageQueue queue : queues) {
                producer.send(Message.of(topic, "m"), queue);
            }
            for (int group = 0; group < 200; group++) {
                try (PullConsumer consumer = PullConsumer.builder()
                        .nameServers(bench.target().namesrv())
                        .callTimeoutMs(OwnBench.TIMEOUT_MS)
                        .group(OwnBench.fresh("g"))
                        .autoCommitMs(0)
                        .build()) {
                    consumer.start();
                    consumer.assign(queues);
                    consumer.commit(queues.stream().collect(Collectors.toMap(queue -> queue, queue -> 1L)));
                    for (MessageQueue queue : queues) {
                        assertThat(consumer.committed(queue)).as("%s", queue).hasValue(1);
                    }
                }
            }
        }
    }
}
