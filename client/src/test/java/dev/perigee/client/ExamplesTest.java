package dev.perigee.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.consumer.PushConsumer;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.listener.ConsumeResult;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.client.selector.SelectMessageQueueByHash;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.remoting.netty.EventLoops;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The examples of the README, over real sockets. */
final class ExamplesTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private EventLoops loops;
    private FakeNameServer nameServer;
    private FakeBroker broker;

    @BeforeEach
    void start() throws Exception {
        loops = EventLoops.start("examples", 1);
        nameServer = new FakeNameServer(loops, Clock.system());
        broker = new FakeBroker("a", loops, Clock.system());
        nameServer.route("demo", 2, broker);
        nameServer.route("%RETRY%billing", 1, broker);
    }

    @AfterEach
    void stop() {
        broker.close();
        nameServer.close();
        loops.close();
    }

    @Test
    void sends() throws Exception {
        try (Producer producer = Producer.builder()
                .nameServers(nameServer.address())
                .callTimeoutMs(20_000)
                .group("orders")
                .sendTimeoutMs(20_000)
                .build()) {
            producer.start();
            SendResult sent = producer.send(Message.builder("demo")
                    .body("hello")
                    .tag("TagA")
                    .keys("order-7")
                    .build());
            var batched = producer.sendAsync(Message.of("demo", "in a batch by itself"));
            var ordered =
                    producer.sendAsync(Message.of("demo", "in order"), new SelectMessageQueueByHash<>(), "order-7");
            producer.send(List.of(Message.of("demo", "all"), Message.of("demo", "or none")));
            producer.sendOneway(Message.of("demo", "maybe"));

            assertThat(sent.status()).isEqualTo(SendStatus.SEND_OK);
            assertThat(batched.get().status()).isEqualTo(SendStatus.SEND_OK);
            assertThat(ordered.get().status()).isEqualTo(SendStatus.SEND_OK);
            Awaitility.await().atMost(PATIENCE).until(() -> broker.log().total("demo") == 6);
        }
    }

    @Test
    void consumesByListenerAndLeavesCleanly() {
        broker.log().append("demo", 0, "one", "TAGS\u0001TagA\u0002");
        broker.log().append("demo", 1, "two", "TAGS\u0001TagC\u0002");
        Queue<String> got = new ConcurrentLinkedQueue<>();
        try (PushConsumer consumer = PushConsumer.builder()
                .nameServers(nameServer.address())
                .callTimeoutMs(20_000)
                .group("billing")
                .subscribe("demo", "TagA || TagB")
                .consumeFrom(ConsumeFrom.firstOffset())
                .listener(messages -> {
                    messages.forEach(m -> got.add(m.bodyText()));
                    return ConsumeResult.SUCCESS;
                })
                .build()) {
            consumer.start();
            Awaitility.await().atMost(PATIENCE).until(() -> !got.isEmpty());
        } catch (ClientException e) {
            throw new AssertionError(e);
        }
        assertThat(got).containsExactly("one");
        assertThat(broker.offsets()).containsEntry("billing@demo@0", 1L);
        assertThat(broker.memberCount("billing")).isZero();
    }

    @Test
    void consumesByPolling() throws Exception {
        broker.log().append("demo", 0, "one", "");
        broker.log().append("demo", 0, "two", "");
        List<String> got = new ArrayList<>();
        try (PullConsumer consumer = PullConsumer.builder()
                .nameServers(nameServer.address())
                .callTimeoutMs(20_000)
                .group("audit")
                .consumeFrom(ConsumeFrom.firstOffset())
                .build()) {
            consumer.subscribe("demo", "*");
            consumer.start();
            while (got.size() < 2) {
                List<MessageExt> messages = consumer.poll(1_000);
                messages.forEach(m -> got.add(m.bodyText()));
            }
            consumer.commit();
        }
        assertThat(got).containsExactly("one", "two");
        assertThat(broker.offsets()).containsEntry("audit@demo@0", 2L);
    }

    @Test
    void administers() throws Exception {
        try (AdminClient admin = AdminClient.builder()
                .nameServers(nameServer.address())
                .callTimeoutMs(20_000)
                .build()) {
            admin.start();
            assertThat(admin.topics().queues("demo")).hasSize(2);
            assertThat(admin.topics().exists("nowhere")).isFalse();
        }
    }
}
