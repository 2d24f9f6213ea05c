package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Completion;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.selector.SelectMessageQueueByHash;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProducerSimulationTest {
    private static final String TOPIC = "T";
    private static final MessageQueue QUEUE = new MessageQueue(TOPIC, "a", 1);

    private World world;
    private FakeBroker a;
    private FakeBroker b;

    @BeforeEach
    void twoBrokers() throws Exception {
        world = new World();
        a = world.broker("a");
        b = world.broker("b");
        world.nameServer().route(TOPIC, 2, a, b);
    }

    private ProducerBuilder builder() {
        return world.in(Producer.builder())
                .group("p")
                .instanceName("i")
                .whenFull(WhenFull.FAIL)
                .random(new Random(1));
    }

    private Producer start(ProducerBuilder builder) {
        Producer producer = builder.build();
        world.add(producer.loop());
        producer.start();
        return producer;
    }

    private static Message message(String body) {
        return Message.of(TOPIC, body);
    }

    private SendResult sent(CompletableFuture<SendResult> future) {
        return world.await(future, 5_000);
    }

    private ClientException failure(CompletableFuture<SendResult> future) {
        Throwable thrown = Failures.unwrap(catchThrowable(() -> world.await(future, 10_000)));
        assertThat(thrown).isInstanceOf(ClientException.class);
        return (ClientException) thrown;
    }

    private static int count(FakeBroker.Sent request) throws Exception {
        return request.header().batch()
                ? BatchBody.of(ByteBuffer.wrap(request.body())).count()
                : 1;
    }

    @Test
    void loneMessageLeavesAtOnceAndLaterOnesShareABatchMeanwhile() throws Exception {
        Producer producer = start(builder());
        sent(producer.sendAsync(message("warm up"), QUEUE));
        List<CompletableFuture<SendResult>> results = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            results.add(producer.sendAsync(message("m" + i), QUEUE));
        }
        world.settle();

        assertThat(results).allSatisfy(r -> assertThat(r).isCompleted());
        List<Integer> counts = new ArrayList<>();
        for (FakeBroker.Sent request : a.sends()) {
            counts.add(count(request));
        }
        assertThat(counts).containsExactly(1, 1, 49);
        for (int i = 0; i < 50; i++) {
            SendResult result = results.get(i).join();
            assertThat(result.queueOffset()).isEqualTo(i + 1L);
            assertThat(result.offsetMessageId()).isEqualTo("ID" + (i + 1));
            assertThat(result.queue()).isEqualTo(QUEUE);
            assertThat(result.messageId()).hasSize(32);
        }
        assertThat(results.stream().map(r -> r.join().messageId())).doesNotHaveDuplicates();
    }

    @Test
    void fullBatchesLeaveUpToTheLimitUnderWay() throws Exception {
        a.onSend(sent -> FakeBroker.SILENCE);
        b.onSend(sent -> FakeBroker.SILENCE);
        Producer producer = start(builder().batching(new ProducerConfig.Batching(true, 1 << 20, 10, 3)));
        CompletableFuture<SendResult> first = producer.sendAsync(message("first"));
        world.settle();
        assertThat(first).isNotDone();
        for (int i = 0; i < 100; i++) {
            CompletableFuture<SendResult> unused = producer.sendAsync(message("m" + i));
        }
        world.settle();

        List<FakeBroker.Sent> requests = new ArrayList<>(a.sends());
        requests.addAll(b.sends());
        assertThat(requests).hasSize(3);
        int messages = 0;
        for (FakeBroker.Sent request : requests) {
            messages += count(request);
        }
        assertThat(messages).isEqualTo(1 + 10 + 10);
    }

    @Test
    void keepsTheOrderOfOneQueueThroughFailures() throws Exception {
        int[] refusals = {3};
        a.onSend(request -> refusals[0]-- > 0 ? ResponseCode.SYSTEM_BUSY : null);
        Producer producer = start(builder().batching(new ProducerConfig.Batching(true, 1 << 20, 4, 8)));
        List<String> stored = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            String body = "m" + i;
            CompletableFuture<SendResult> result = producer.sendAsync(message(body), QUEUE);
            Completion.on(result, (r, failure) -> {
                if (failure == null) {
                    stored.add(body);
                }
            });
        }
        world.run(1_000, 10);

        List<Integer> numbers =
                stored.stream().map(s -> Integer.parseInt(s.substring(1))).toList();
        assertThat(numbers).isSorted().hasSize(40);
        assertThat(a.log().endOffset(TOPIC, 1)).isEqualTo(stored.size());
    }

    @Test
    void largeMessageForAQueueKeepsItsPlaceInTheOrder() {
        Producer producer = start(builder().compression(ProducerConfig.Compression.OFF));
        List<Long> offsets = new ArrayList<>();
        sent(producer.sendAsync(message("0"), QUEUE));
        List<CompletableFuture<SendResult>> results = List.of(
                producer.sendAsync(message("1"), QUEUE),
                producer.sendAsync(message("2"), QUEUE),
                producer.sendAsync(Message.of(TOPIC, new byte[300_000]), QUEUE),
                producer.sendAsync(message("4"), QUEUE));
        world.settle();
        results.forEach(r -> offsets.add(r.join().queueOffset()));

        assertThat(offsets).containsExactly(1L, 2L, 3L, 4L);
    }

    @ParameterizedTest
    @ValueSource(ints = {17, 14, 1, 2, 16, 204, 205})
    void retriesOnAnotherBrokerAfterTheseCodes(int code) {
        a.onSend(request -> code);
        Producer producer = start(builder());
        for (int i = 0; i < 4; i++) {
            assertThat(sent(producer.sendAsync(message("m" + i))).queue().brokerName())
                    .isEqualTo("b");
        }
        assertThat(a.sends().size()).isLessThanOrEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {13, 26, 3})
    void failsAtOnceAfterOtherCodes(int code) {
        a.onSend(request -> code);
        b.onSend(request -> code);
        Producer producer = start(builder());

        ClientException failure = failure(producer.sendAsync(message("m")));

        assertThat(failure).isInstanceOfSatisfying(RefusedException.class, refused -> {
            assertThat(refused.code()).isEqualTo(code);
            assertThat(refused.site().attempt()).isEqualTo(1);
        });
        assertThat(failure).hasMessageContaining("topic=T").hasMessageContaining("address=127.0.0.1:");
        assertThat(a.sends().size() + b.sends().size()).isEqualTo(1);
    }

    @Test
    void givesUpAfterTheLastTryWithTheLastReason() {
        a.onSend(request -> ResponseCode.SERVICE_NOT_AVAILABLE);
        b.onSend(request -> ResponseCode.SERVICE_NOT_AVAILABLE);
        Producer producer = start(builder());

        ClientException failure = failure(producer.sendAsync(message("m")));

        assertThat(failure).isInstanceOf(RefusedException.class);
        assertThat(failure.site().attempt()).isEqualTo(3);
        assertThat(failure.isRetryable()).isTrue();
        assertThat(a.sends().size() + b.sends().size()).isEqualTo(3);
    }

    @Test
    void busyBrokerIsTriedUntilItTakesTheMessageOrTheDeadlinePasses() {
        int[] refusals = {8};
        a.onSend(request -> refusals[0]-- > 0 ? ResponseCode.SYSTEM_BUSY : null);
        Producer producer = start(builder());
        assertThat(sent(producer.sendAsync(message("m"), QUEUE)).queueOffset()).isZero();
        assertThat(a.sends()).hasSize(9);

        a.onSend(request -> ResponseCode.SYSTEM_BUSY);
        ClientException failure = failure(producer.sendAsync(message("n"), QUEUE));
        assertThat(failure)
                .isInstanceOfSatisfying(
                        RefusedException.class,
                        refused -> assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_BUSY));
        assertThat(a.log().endOffset(TOPIC, 1)).isEqualTo(1);
    }

    @Test
    void sendToOneQueueIsTriedOnce() {
        a.onSend(request -> ResponseCode.SERVICE_NOT_AVAILABLE);
        Producer producer = start(builder());
        assertThat(failure(producer.sendAsync(message("m"), QUEUE))).isInstanceOf(RefusedException.class);
        assertThat(a.sends()).hasSize(1);
    }

    @Test
    void retriesOnAnotherBrokerWhenTheConnectionIsRefused() {
        a.close();
        Producer producer = start(builder());
        for (int i = 0; i < 4; i++) {
            assertThat(sent(producer.sendAsync(message("m" + i))).queue().brokerName())
                    .isEqualTo("b");
        }
    }

    @Test
    void endsWithTheDeadlineWhenNobodyAnswers() {
        a.onSend(request -> FakeBroker.SILENCE);
        b.onSend(request -> FakeBroker.SILENCE);
        Producer producer = start(builder().sendTimeoutMs(700));

        ClientException failure = failure(producer.sendAsync(message("m")));

        assertThat(failure).isInstanceOf(DeadlineExceededException.class);
        assertThat(failure.mayHaveTakenEffect()).isTrue();
        assertThat(failure.site().remainingMs()).isZero();
    }

    @Test
    void onlyTheBadMessageOfABatchFails() {
        a.onSend(request -> new String(request.body(), java.nio.charset.StandardCharsets.ISO_8859_1).contains("bad")
                ? ResponseCode.MESSAGE_ILLEGAL
                : null);
        Producer producer = start(builder());
        sent(producer.sendAsync(message("warm up"), QUEUE));
        List<CompletableFuture<SendResult>> results = new ArrayList<>();
        for (String body : List.of("m0", "m1", "m2", "bad", "m4")) {
            results.add(producer.sendAsync(message(body), QUEUE));
        }
        world.run(200, 10);

        assertThat(results.get(3)).isCompletedExceptionally();
        for (int i : List.of(0, 1, 2, 4)) {
            assertThat(results.get(i)).as("message %d", i).isCompleted();
            assertThat(results.get(i).isCompletedExceptionally()).isFalse();
        }
        assertThat(results.get(4).join().queueOffset()).isEqualTo(4);
        assertThat(producer.metrics().bufferedBytes()).isZero();
    }

    @Test
    void failsByNameWhenTheMemoryIsFullAndFreesItWithTheAnswers() {
        a.onSend(request -> FakeBroker.SILENCE);
        Producer producer = start(builder().bufferBytes(10_000));
        List<CompletableFuture<SendResult>> accepted = new ArrayList<>();
        CompletableFuture<SendResult> last;
        do {
            last = producer.sendAsync(Message.of(TOPIC, new byte[1_000]), QUEUE);
            accepted.add(last);
        } while (!last.isDone() && accepted.size() < 100);

        assertThat(accepted.size()).isBetween(5, 11);
        assertThat(failure(last)).isInstanceOf(BufferFullException.class).hasMessageContaining("limitBytes=10000");
        world.run(4_000, 100);
        assertThat(producer.metrics().bufferedBytes()).isZero();
    }

    @Test
    void topicWithoutRouteBorrowsTheTemplateRouteWithFewerQueues() {
        world.nameServer().route("TBW102", 8, a);
        Producer producer = start(builder().newTopicQueues(4));
        List<Integer> queues = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            queues.add(sent(producer.sendAsync(Message.of("fresh", "m" + i)))
                    .queue()
                    .queueId());
        }
        assertThat(queues).containsOnly(0, 1, 2, 3);
        assertThat(a.sends().get(0).header().defaultTopic()).isEqualTo("TBW102");
        assertThat(a.sends().get(0).header().defaultTopicQueueNums()).isEqualTo(4);
    }

    @Test
    void topicWithoutAnyRouteFailsByName() {
        Producer producer = start(builder());
        assertThat(failure(producer.sendAsync(Message.of("nowhere", "m"))))
                .isInstanceOf(NoRouteException.class)
                .hasMessageContaining("nowhere");
    }

    @Test
    void orderedTopicUsesExactlyTheConfiguredQueues() {
        world.nameServer().orderedRoute("O", "a:1;b:1", 4, a, b);
        Producer producer = start(builder());
        for (int i = 0; i < 6; i++) {
            assertThat(sent(producer.sendAsync(Message.of("O", "m"))).queue().queueId())
                    .isZero();
        }
    }

    @Test
    void selectorByHashKeepsOneKeyInOneQueue() {
        Producer producer = start(builder());
        List<MessageQueue> used = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            used.add(sent(producer.sendAsync(message("m"), new SelectMessageQueueByHash<>(), "order-7"))
                    .queue());
        }
        assertThat(used).hasSize(5).containsOnly(used.get(0));
    }

    @Test
    void compressesLargeBodiesAndSendsThemAlone() {
        Producer producer = start(builder());
        sent(producer.sendAsync(Message.of(TOPIC, "x".repeat(10_000))));
        List<FakeBroker.Sent> requests = new ArrayList<>(a.sends());
        requests.addAll(b.sends());

        assertThat(requests).singleElement().satisfies(request -> {
            assertThat(request.code()).isEqualTo(RequestCode.SEND_MESSAGE_V2);
            assertThat(SysFlag.has(request.header().sysFlag(), SysFlag.COMPRESSED))
                    .isTrue();
            assertThat(request.body().length).isLessThan(200);
        });
    }

    @Test
    void explicitBatchIsOneRequestAndOneResult() throws Exception {
        Producer producer = start(builder());
        SendResult result = sent(producer.sendAsync(List.of(message("m0"), message("m1"), message("m2"))));

        assertThat(result.messageId().split(",")).hasSize(3);
        assertThat(result.offsetMessageId()).isEqualTo("ID0,ID1,ID2");
        assertThat(a.sends().size() + b.sends().size()).isEqualTo(1);
    }

    @Test
    void flushTimeoutIsASuccessWithAName() {
        a.onSend(request -> ResponseCode.FLUSH_DISK_TIMEOUT);
        Producer producer = start(builder());
        assertThat(sent(producer.sendAsync(message("m"), QUEUE)).status()).isEqualTo(SendStatus.FLUSH_DISK_TIMEOUT);
    }

    @Test
    void messagesBeyondLimitsAreRefusedWithFieldValueAndLimit() {
        Producer producer = start(builder().maxMessageBytes(1_000));
        assertThat(failure(producer.sendAsync(Message.of(TOPIC, new byte[1_001]))))
                .isInstanceOf(InvalidMessageException.class)
                .hasMessageContaining("body.sizeBytes=1001")
                .hasMessageContaining("1 to 1000 bytes");
        assertThat(failure(producer.sendAsync(Message.of(TOPIC, new byte[0]))))
                .hasMessageContaining("body.sizeBytes=0");
        assertThat(failure(producer.sendAsync(Message.of("../x", "m")))).hasMessageContaining("topic=../x");
        assertThat(failure(producer.sendAsync(Message.of("SCHEDULE_TOPIC_XXXX", "m"))))
                .hasMessageContaining("topic=SCHEDULE_TOPIC_XXXX");
        assertThat(failure(producer.sendAsync(new Message(TOPIC, new byte[1], 0, Map.of("big", "x".repeat(40_000))))))
                .hasMessageContaining("properties.sizeBytes");
        assertThat(failure(producer.sendAsync(new Message(
                        TOPIC,
                        new byte[1],
                        0,
                        Map.of(PropertyKey.DELAY_LEVEL, "3", PropertyKey.TIMER_DELAY_SEC, "5")))))
                .hasMessageContaining("DELAY=3");
        assertThat(failure(producer.sendAsync(List.of(message("m"), Message.of("other", "m")))))
                .hasMessageContaining("batch.topic=other");
        assertThat(failure(producer.sendAsync(
                        List.of(Message.builder(TOPIC).body("m").delayLevel(1).build()))))
                .hasMessageContaining("batch.DELAY=1");
        assertThat(a.sends()).isEmpty();
        assertThat(b.sends()).isEmpty();
    }

    @Test
    void keepsTheOldRouteWhenTheNameServerForgetsATopic() {
        Producer producer = start(builder());
        sent(producer.sendAsync(message("m")));
        world.nameServer().removeRoute(TOPIC);
        int asked = world.nameServer().timesAsked();
        world.run(31_000, 1_000);
        assertThat(world.nameServer().timesAsked()).isGreaterThan(asked);
        assertThat(sent(producer.sendAsync(message("m"))).status()).isEqualTo(SendStatus.SEND_OK);
    }

    @Test
    void usesNewQueuesAfterTheRouteIsRefreshed() {
        Producer producer = start(builder());
        sent(producer.sendAsync(message("m")));
        world.nameServer().route(TOPIC, 1, b);
        world.run(31_000, 1_000);
        for (int i = 0; i < 4; i++) {
            assertThat(sent(producer.sendAsync(message("m"))).queue()).isEqualTo(new MessageQueue(TOPIC, "b", 0));
        }
    }

    @Test
    void sendsNothingAfterClose() {
        Producer producer = start(builder());
        producer.close();
        assertThat(failure(producer.sendAsync(message("m")))).hasMessageContaining("closed");
    }

    @Test
    void keepsTheOrderOfOneQueueThoughWaitModesChange() {
        Producer producer = start(builder());
        sent(producer.sendAsync(message("warm up"), QUEUE));
        List<CompletableFuture<SendResult>> results = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            results.add(producer.sendAsync(
                    Message.builder(TOPIC)
                            .body("m" + i)
                            .waitForStore(i % 3 == 0)
                            .build(),
                    QUEUE));
        }
        world.settle();

        for (int i = 0; i < results.size(); i++) {
            assertThat(results.get(i).join().queueOffset()).isEqualTo(i + 1L);
        }
    }

    @Test
    void thousandsOfSendsThatEndTogetherDoNotPileUpOnTheStack() {
        a.onSend(request -> FakeBroker.SILENCE);
        Producer producer = start(builder().sendTimeoutMs(500));
        List<CompletableFuture<SendResult>> results = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            results.add(producer.sendAsync(
                    Message.builder(TOPIC).body("m").delayLevel(1).build(), QUEUE));
        }
        world.run(1_000, 100);

        assertThat(results).allSatisfy(result -> assertThat(result).isCompletedExceptionally());
        assertThat(producer.metrics().bufferedBytes()).isZero();
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void failsByNameWhenTooManyMessagesAreOnTheirWay() {
        a.onSend(request -> FakeBroker.SILENCE);
        Producer producer = start(builder().bufferMessages(3));
        for (int i = 0; i < 3; i++) {
            assertThat(producer.sendAsync(message("m" + i), QUEUE)).isNotDone();
        }
        assertThat(failure(producer.sendAsync(message("m3"), QUEUE)))
                .isInstanceOf(BufferFullException.class)
                .hasMessageContaining("usedMessages=3 limitMessages=3")
                .hasMessageContaining("topic=T")
                .hasMessageContaining("remainingMs=3000");
    }

    @Test
    void aOnewayMessageThatCannotLeaveIsCountedOrRefused() throws Exception {
        Producer producer = start(builder());
        MessageQueue unknown = new MessageQueue(TOPIC, "no such broker", 0);
        producer.sendOneway(message("before the route is known"), unknown);
        world.settle();
        assertThat(producer.metrics().droppedOneways()).isEqualTo(1);

        assertThat(catchThrowable(() -> producer.sendOneway(message("known at once"), unknown)))
                .isInstanceOf(NoRouteException.class)
                .hasMessageContaining("no such broker")
                .hasMessageContaining("topic=T");
        assertThat(producer.metrics().droppedOneways()).isEqualTo(2);

        a.close();
        producer.sendOneway(message("to a broker that is gone"), QUEUE);
        world.settle();
        assertThat(producer.metrics().droppedOneways()).isEqualTo(3);
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }
}
