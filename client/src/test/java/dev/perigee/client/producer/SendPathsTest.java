package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.selector.SelectMessageQueueByHash;
import dev.perigee.client.send.SendResult;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the user sets arrives at the broker, whichever way the message takes. */
final class SendPathsTest {
    private static final String TOPIC = "T";
    private static final String RETRY_TOPIC = "%RETRY%g";
    private static final MessageQueue QUEUE = new MessageQueue(TOPIC, "a", 1);
    private static final long PATIENCE_S = 60;

    /** One way to send a message. */
    private interface Way {
        void send(SendPathsTest test, Producer producer, Message message) throws Exception;
    }

    /** What a broker was given: each message as it would store it, and what it would obey. */
    private record Received(SendMessageHeader header, int flag, Map<String, String> properties, String body) {
        boolean waitsForStore() {
            PropertyText obeyed = header.properties();
            return obeyed == null || !"false".equals(obeyed.get(PropertyKey.WAIT_STORE));
        }
    }

    private final EventLoops loops = EventLoops.start("send-paths", 1);
    private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();
    private FakeNameServer nameServer;
    private FakeBroker a;
    private FakeBroker b;

    @BeforeEach
    void open() throws Exception {
        nameServer = new FakeNameServer(loops, Clock.system());
        a = new FakeBroker("a", loops, Clock.system());
        b = new FakeBroker("b", loops, Clock.system());
        nameServer.route(TOPIC, 2, a, b);
        nameServer.route(RETRY_TOPIC, 1, a);
        a.onSend(sent -> take(sent, null));
        b.onSend(sent -> take(sent, null));
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        nameServer.close();
        loops.close();
    }

    private @Nullable Integer take(FakeBroker.Sent sent, @Nullable Integer code) {
        try {
            received.addAll(messages(sent));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return code;
    }

    private static List<Received> messages(FakeBroker.Sent sent) throws Exception {
        SendMessageHeader header = sent.header();
        PropertyText properties = header.properties();
        if (sent.code() != RequestCode.SEND_BATCH_MESSAGE) {
            return List.of(new Received(
                    header,
                    header.flag(),
                    properties == null ? Map.of() : properties.toMap(),
                    new String(sent.body(), StandardCharsets.UTF_8)));
        }
        Stream.Builder<Received> all = Stream.builder();
        BatchBody batch = BatchBody.of(ByteBuffer.wrap(sent.body()));
        while (batch.next()) {
            all.add(new Received(
                    header,
                    batch.flag(),
                    batch.properties().toMap(),
                    StandardCharsets.UTF_8.decode(batch.body()).toString()));
        }
        return all.build().toList();
    }

    static Stream<Arguments> waysAndWaitModes() {
        Map<String, Way> ways = new LinkedHashMap<>();
        ways.put("synchronous", (test, p, m) -> p.send(m));
        ways.put("synchronous to a queue", (test, p, m) -> p.send(m, QUEUE));
        ways.put("synchronous by selector", (test, p, m) -> p.send(m, new SelectMessageQueueByHash<>(), "k"));
        ways.put("synchronous, in order", (test, p, m) -> p.sendOrdered(m));
        ways.put("asynchronous, in order", (test, p, m) -> p.sendOrderedAsync(m).get());
        ways.put(
                "explicit batch",
                (test, p, m) -> p.send(List.of(m, m.withBody("other".getBytes(StandardCharsets.UTF_8)))));
        ways.put("explicit batch to a queue", (test, p, m) -> p.send(List.of(m), QUEUE));
        ways.put(
                "asynchronous explicit batch",
                (test, p, m) -> p.sendAsync(List.of(m)).get());
        ways.put("asynchronous", (test, p, m) -> p.sendAsync(m).get());
        ways.put(
                "asynchronous to a queue", (test, p, m) -> p.sendAsync(m, QUEUE).get());
        ways.put(
                "asynchronous by selector",
                (test, p, m) ->
                        p.sendAsync(m, new SelectMessageQueueByHash<>(), "k").get());
        ways.put("one-way", (test, p, m) -> p.sendOneway(m));
        ways.put("one-way to a queue", (test, p, m) -> p.sendOneway(m, QUEUE));
        ways.put("automatic batch of several", SendPathsTest::gathered);
        ways.put("automatic batch that was split", SendPathsTest::split);
        ways.put("synchronous, on another broker after a refusal", (test, p, m) -> {
            test.refuseOnce();
            p.send(m);
        });
        ways.put("batch, on another broker after a refusal", (test, p, m) -> {
            test.refuseOnce();
            p.sendAsync(m).get();
        });
        return ways.entrySet().stream()
                .flatMap(way -> Stream.of(true, false).map(wait -> Arguments.of(way.getKey(), way.getValue(), wait)));
    }

    private void refuseOnce() {
        AtomicBoolean refused = new AtomicBoolean();
        FakeBroker.SendScript script = sent -> refused.compareAndSet(false, true)
                ? Integer.valueOf(ResponseCode.SERVICE_NOT_AVAILABLE)
                : take(sent, null);
        a.onSend(script);
        b.onSend(script);
    }

    /** The first of a lane is held, so that the next ones share a batch. */
    private static void gathered(SendPathsTest test, Producer producer, Message message) throws Exception {
        BlockingQueue<Boolean> held = new LinkedBlockingQueue<>();
        AtomicBoolean first = new AtomicBoolean(true);
        test.a.onSend(sent -> {
            if (first.getAndSet(false)) {
                held.add(true);
                return FakeBroker.SILENCE;
            }
            return test.take(sent, null);
        });
        CompletableFuture<SendResult> opener = producer.sendAsync(Message.of(TOPIC, "opener"), QUEUE);
        assertThat(held.poll(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<SendResult> one = producer.sendAsync(message, QUEUE);
        CompletableFuture<SendResult> two =
                producer.sendAsync(message.withBody("other".getBytes(StandardCharsets.UTF_8)), QUEUE);
        test.a.answerHeld(ResponseCode.MESSAGE_ILLEGAL, "only to let the lane go on");
        one.get();
        two.get();
        assertThat(opener).isCompletedExceptionally();
    }

    private static void split(SendPathsTest test, Producer producer, Message message) throws Exception {
        BlockingQueue<Boolean> held = new LinkedBlockingQueue<>();
        test.a.onSend(sent -> {
            String body = new String(sent.body(), StandardCharsets.ISO_8859_1);
            if (body.contains("opener")) {
                held.add(true);
                return FakeBroker.SILENCE;
            }
            return body.contains("bad") ? Integer.valueOf(ResponseCode.MESSAGE_ILLEGAL) : test.take(sent, null);
        });
        CompletableFuture<SendResult> opener = producer.sendAsync(Message.of(TOPIC, "opener"), QUEUE);
        assertThat(held.poll(PATIENCE_S, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<SendResult> good = producer.sendAsync(message, QUEUE);
        CompletableFuture<SendResult> bad =
                producer.sendAsync(message.withBody("bad".getBytes(StandardCharsets.UTF_8)), QUEUE);
        test.a.answerHeld(ResponseCode.MESSAGE_ILLEGAL, "only to let the lane go on");
        good.get();
        assertThat(opener).isCompletedExceptionally();
        assertThat(bad.handle((result, failure) -> failure).get()).isNotNull();
    }

    private Producer producer() {
        Producer producer = Producer.builder()
                .nameServers(nameServer.address())
                .transport(loops)
                .clientIp("127.0.0.1")
                .group("p")
                .callTimeoutMs(TimeUnit.SECONDS.toMillis(PATIENCE_S))
                .sendTimeoutMs(TimeUnit.SECONDS.toMillis(PATIENCE_S))
                .build();
        producer.start();
        return producer;
    }

    @ParameterizedTest(name = "{0}, wait={2}")
    @MethodSource("waysAndWaitModes")
    void everyWayCarriesEverythingTheUserSet(String name, Way way, boolean wait) throws Exception {
        Message message = Message.builder(TOPIC)
                .body("body ä")
                .flag(7)
                .tag("tag")
                .keys("k1", "k2")
                .orderKey("order")
                .property("mine", "värde")
                .waitForStore(wait)
                .build();
        try (Producer producer = producer()) {
            way.send(this, producer, message);

            Received got = received.poll(PATIENCE_S, TimeUnit.SECONDS);
            assertThat(got).as(name).isNotNull();
            assertThat(got.body()).isEqualTo("body ä");
            assertThat(got.flag()).isEqualTo(7);
            assertThat(got.properties()).containsKey(PropertyKey.UNIQ_KEY).containsAllEntriesOf(message.properties());
            assertThat(got.properties()).hasSize(message.properties().size() + 1);
            assertThat(got.waitsForStore()).as("what the broker obeys").isEqualTo(wait);
            assertThat(got.header().producerGroup()).isEqualTo("p");
            assertThat(got.header().topic()).isEqualTo(TOPIC);
            assertThat(got.header().bornTimestamp()).isPositive();
            assertThat(got.header().brokerName()).isIn("a", "b");
        }
    }

    static Stream<Arguments> waysOfRetry() {
        Map<String, Way> ways = new LinkedHashMap<>();
        ways.put("synchronous", (test, p, m) -> p.send(m));
        ways.put("asynchronous", (test, p, m) -> p.sendAsync(m).get());
        ways.put(
                "asynchronous to a queue",
                (test, p, m) ->
                        p.sendAsync(m, new MessageQueue(RETRY_TOPIC, "a", 0)).get());
        ways.put("one-way", (test, p, m) -> p.sendOneway(m));
        return ways.entrySet().stream().map(way -> Arguments.of(way.getKey(), way.getValue()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waysOfRetry")
    void aMessageForARetryTopicCarriesItsCountsInTheHeader(String name, Way way) throws Exception {
        Message message = Message.of(RETRY_TOPIC, "again")
                .withProperty(PropertyKey.RECONSUME_TIME, "3")
                .withProperty(PropertyKey.MAX_RECONSUME_TIMES, "5");
        try (Producer producer = producer()) {
            way.send(this, producer, message);

            Received got = received.poll(PATIENCE_S, TimeUnit.SECONDS);
            assertThat(got).as(name).isNotNull();
            assertThat(got.header().reconsumeTimes()).isEqualTo(3);
            assertThat(got.header().maxReconsumeTimes()).isEqualTo(5);
        }
    }
}
