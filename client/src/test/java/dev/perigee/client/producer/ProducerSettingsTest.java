package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.BatchBody;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.rpc.RequestCode;
import dev.perigee.protocol.rpc.ResponseCode;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every setting of a producer does what it says: each test fails when its setting is ignored. */
final class ProducerSettingsTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);

    private ProducerWorld all;
    private World world;
    private FakeBroker broker;

    @BeforeEach
    void oneBroker() throws Exception {
        all = new ProducerWorld(4);
        world = all.world();
        broker = all.broker();
    }

    private Producer start(UnaryOperator<ProducerBuilder> settings) {
        return all.start(settings.apply(all.builder()));
    }

    private SendResult sent(CompletableFuture<SendResult> future) {
        return world.await(future, 5_000);
    }

    private static ClientException failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return (ClientException) Failures.unwrap(catchThrowable(future::join));
    }

    private static int count(FakeBroker.Sent request) throws Exception {
        return BatchBody.of(ByteBuffer.wrap(request.body())).count();
    }

    @Test
    void groupIsWhatBrokersAreTold() {
        sent(start(b -> b.group("orders")).sendAsync(Message.of("T", "m")));
        assertThat(broker.sends().get(0).header().producerGroup()).isEqualTo("orders");
        assertThatThrownBy(() -> start(b -> b.group("no/group"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void sendTimeoutEndsASend() {
        broker.onSend(request -> FakeBroker.SILENCE);
        CompletableFuture<SendResult> result = start(b -> b.sendTimeoutMs(700)).sendAsync(Message.of("T", "m"));
        world.run(690, 10);
        assertThat(result).isNotDone();
        world.run(150, 10);
        assertThat(failure(result)).hasMessageContaining("limit 700 ms");
    }

    @Test
    void maxTriesAreMadeAndNoMore() {
        broker.onSend(request -> ResponseCode.SERVICE_NOT_AVAILABLE);
        for (int tries : new int[] {1, 5}) {
            int before = broker.sends().size();
            CompletableFuture<SendResult> result = start(b -> b.maxTries(tries)).sendAsync(Message.of("T", "m"));
            world.run(2_900, 10);
            assertThat(failure(result).site().attempt()).isEqualTo(tries);
            assertThat(broker.sends().size() - before).isEqualTo(tries);
        }
    }

    @Test
    void newTopicQueuesBoundTheQueuesOfANewTopic() {
        world.nameServer().route("TBW102", 8, broker);
        Producer producer = start(b -> b.newTopicQueues(2));
        Set<Integer> used = new HashSet<>();
        for (int i = 0; i < 8; i++) {
            used.add(sent(producer.sendAsync(Message.of("fresh", "m"))).queue().queueId());
        }
        assertThat(used).containsExactlyInAnyOrder(0, 1);
        assertThat(broker.sends().get(0).header().defaultTopicQueueNums()).isEqualTo(2);
    }

    @Test
    void maxMessageBytesBoundBodiesAndExplicitBatches() {
        Producer producer = start(b -> b.maxMessageBytes(500).compression(ProducerConfig.Compression.OFF));
        sent(producer.sendAsync(Message.of("T", new byte[500])));
        assertThat(failure(producer.sendAsync(Message.of("T", new byte[501]))))
                .hasMessageContaining("body.sizeBytes=501");
        assertThat(failure(producer.sendAsync(List.of(Message.of("T", new byte[300]), Message.of("T", new byte[300])))))
                .hasMessageContaining("batch.sizeBytes=")
                .hasMessageContaining("at most 500 bytes");
    }

    private List<FakeBroker.Sent> burst(ProducerConfig.Batching batching, int messages, int bodyBytes) {
        broker.onSend(request -> FakeBroker.SILENCE);
        Producer producer = start(b -> b.batching(batching).compression(ProducerConfig.Compression.OFF));
        for (int i = 0; i < messages; i++) {
            CompletableFuture<SendResult> unused = producer.sendAsync(Message.of("T", new byte[bodyBytes]));
            world.settle();
        }
        return broker.sends();
    }

    @Test
    void batchingIsOffWhenItIsSwitchedOff() {
        assertThat(burst(ProducerConfig.Batching.OFF, 10, 10))
                .hasSize(10)
                .allSatisfy(request -> assertThat(request.code()).isEqualTo(RequestCode.SEND_MESSAGE_V2));
    }

    @Test
    void batchesAreFullAtTheirMostMessages() throws Exception {
        List<FakeBroker.Sent> requests = burst(new ProducerConfig.Batching(true, 1 << 20, 3, 16), 7, 10);
        assertThat(requests).hasSize(3);
        assertThat(count(requests.get(1))).isEqualTo(3);
    }

    @Test
    void batchesAreFullAtTheirMostBytes() {
        List<FakeBroker.Sent> requests = burst(new ProducerConfig.Batching(true, 2_000, 1_000, 16), 30, 200);
        assertThat(requests).hasSizeGreaterThan(2);
        assertThat(requests)
                .allSatisfy(request -> assertThat(request.body().length).isLessThanOrEqualTo(2_000));
    }

    @Test
    void batchesUnderWayAreBounded() {
        assertThat(burst(new ProducerConfig.Batching(true, 1 << 20, 1, 2), 20, 10))
                .hasSize(2);
        world.clock().advanceMs(1);
        assertThat(burst(new ProducerConfig.Batching(true, 1 << 20, 1, 5), 20, 10))
                .hasSize(2 + 5);
    }

    @ParameterizedTest
    @EnumSource(CompressionType.class)
    void compressionUsesItsTypeFromItsSizeOn(CompressionType type) {
        Producer producer = start(b -> b.compression(new ProducerConfig.Compression(type, 5, 1_000)));
        sent(producer.sendAsync(Message.of("T", "x".repeat(999))));
        sent(producer.sendAsync(Message.of("T", "x".repeat(1_000))));

        assertThat(SysFlag.has(broker.sends().get(0).header().sysFlag(), SysFlag.COMPRESSED))
                .isFalse();
        int flags = broker.sends().get(1).header().sysFlag();
        assertThat(SysFlag.has(flags, SysFlag.COMPRESSED)).isTrue();
        assertThat(CompressionType.of(flags)).isEqualTo(type);
    }

    @Test
    void compressionUsesItsLevel() {
        StringBuilder text = new StringBuilder();
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            text.append("word").append(random.nextInt(500)).append(' ');
        }
        List<Integer> sizes = new ArrayList<>();
        for (int level : new int[] {1, 9}) {
            Producer producer =
                    start(b -> b.compression(new ProducerConfig.Compression(CompressionType.ZLIB, level, 1_000)));
            sent(producer.sendAsync(Message.of("T", text.toString())));
            sizes.add(broker.sends().get(sizes.size()).body().length);
        }
        assertThat(sizes.get(1)).isLessThan(sizes.get(0));
    }

    @Test
    void bufferBytesBoundWhatIsOnItsWay() {
        broker.onSend(request -> FakeBroker.SILENCE);
        Producer producer = start(b -> b.bufferBytes(5_000).whenFull(WhenFull.FAIL));
        CompletableFuture<SendResult> first = producer.sendAsync(Message.of("T", new byte[3_000]), QUEUE);
        assertThat(first).isNotDone();
        assertThat(failure(producer.sendAsync(Message.of("T", new byte[3_000]), QUEUE)))
                .isInstanceOf(BufferFullException.class)
                .hasMessageContaining("limitBytes=5000");
    }

    @Test
    void bufferMessagesBoundWhatIsOnItsWay() {
        broker.onSend(request -> FakeBroker.SILENCE);
        Producer producer = start(b -> b.bufferMessages(1).whenFull(WhenFull.FAIL));
        CompletableFuture<SendResult> first = producer.sendAsync(Message.of("T", "m"), QUEUE);
        assertThat(first).isNotDone();
        assertThat(failure(producer.sendAsync(Message.of("T", "m"), QUEUE)))
                .isInstanceOf(BufferFullException.class)
                .hasMessageContaining("limitMessages=1");
    }

    @Test
    void randomDecidesWhereTheRoundRobinBegins() {
        Set<Integer> first = new HashSet<>();
        Set<Integer> again = new HashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            Random one = new Random(seed);
            Random same = new Random(seed);
            int begins = sent(start(b -> b.random(one)).sendAsync(Message.of("T", "m")))
                    .queue()
                    .queueId();
            int beginsAgain = sent(start(b -> b.random(same)).sendAsync(Message.of("T", "m")))
                    .queue()
                    .queueId();
            assertThat(beginsAgain).isEqualTo(begins);
            first.add(begins);
            again.add(beginsAgain);
        }
        assertThat(first).hasSizeGreaterThan(1).isEqualTo(again);
    }

    @Test
    void everySettingOutOfItsRangeIsNamed() {
        assertThatThrownBy(() -> start(b -> b.sendTimeoutMs(0))).hasMessageContaining("sendTimeoutMs=0");
        assertThatThrownBy(() -> start(b -> b.maxTries(0))).hasMessageContaining("maxTries=0");
        assertThatThrownBy(() -> start(b -> b.newTopicQueues(0))).hasMessageContaining("newTopicQueues=0");
        assertThatThrownBy(() -> start(b -> b.maxMessageBytes(-1))).hasMessageContaining("maxMessageBytes=-1");
        assertThatThrownBy(() -> start(b -> b.bufferBytes(0))).hasMessageContaining("bufferBytes=0");
        assertThatThrownBy(() -> start(b -> b.bufferMessages(0))).hasMessageContaining("bufferMessages=0");
        assertThatThrownBy(() -> new ProducerConfig.Batching(true, 0, 1, 1))
                .hasMessageContaining("batching.maxBytes=0");
        assertThatThrownBy(() -> new ProducerConfig.Batching(true, 1, 0, 1))
                .hasMessageContaining("batching.maxMessages=0");
        assertThatThrownBy(() -> new ProducerConfig.Batching(true, 1, 1, 0))
                .hasMessageContaining("batching.maxInFlight=0");
        assertThatThrownBy(() -> new ProducerConfig.Compression(CompressionType.ZLIB, 10, 1))
                .hasMessageContaining("compression.level=10");
        assertThatThrownBy(() -> new ProducerConfig.Compression(CompressionType.ZLIB, 1, 0))
                .hasMessageContaining("compression.fromBytes=0");
    }
}
