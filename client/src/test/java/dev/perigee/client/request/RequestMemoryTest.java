package dev.perigee.client.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.client.codec.BodyCodec;
import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeCluster;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerMetrics;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What requests and their replies take, and which threads they hold up: over real sockets, on one event loop. */
final class RequestMemoryTest {
    @RegisterExtension
    private final FakeCluster cluster = new FakeCluster();

    private final FakeNameServer nameServer = cluster.nameServer();
    private FakeBroker broker;

    @BeforeEach
    void open() throws Exception {
        broker = cluster.broker("a");
        nameServer.route("T", 1, broker);
        nameServer.route("U", 3, broker);
        nameServer.route("C_REPLY_TOPIC", 1, broker);
    }

    @Test
    void aFirstRequestThatWaitsForMemoryHoldsUpItsCallerAndNoEventLoop() throws Exception {
        broker.onSend(sent -> FakeBroker.SILENCE);
        Producer producer = cluster.producer(p -> p.bufferMessages(1));
        CompletableFuture<SendResult> unanswered = producer.sendAsync(Message.of("T", "takes all the memory"));
        FakeCluster.await(() -> broker.sends().size() == 1);

        CompletableFuture<Message> waiting = CompletableFuture.supplyAsync(() -> {
            try {
                return producer.request(Message.of("T", "ask"), 60_000);
            } catch (ClientException e) {
                throw new CompletionException(e);
            }
        });
        assertThat(producer.queues("U")).as("answers are read meanwhile").hasSize(3);
        CompletableFuture<Message> late = producer.requestAsync(Message.of("T", "ask"), 50);
        assertThatThrownBy(late::get)
                .satisfies(failure -> assertThat(Failures.unwrap(failure)).isInstanceOf(BufferFullException.class));
        broker.onSend(sent -> null);
        broker.answerHeld(ResponseCode.MESSAGE_ILLEGAL, "no");
        FakeCluster.await(() -> broker.sends().size() == 2);
        assertThat(waiting).isNotDone();
        assertThat(unanswered).failsWithin(ONE_MINUTE);
    }

    @Test
    void aRequestMadeInACallbackFailsAtOnceWhereTheMemoryIsFull() throws Exception {
        broker.onSend(sent -> FakeBroker.SILENCE);
        Producer producer = cluster.producer(p -> p.bufferMessages(1));
        CompletableFuture<SendResult> unanswered = producer.sendAsync(Message.of("T", "takes all the memory"));
        CompletableFuture<CompletableFuture<Message>> inner = new CompletableFuture<>();
        CompletableFuture<Void> callback = unanswered.handle((sent, failure) -> {
            CompletableFuture<SendResult> again = producer.sendAsync(Message.of("T", "takes it again"));
            assertThat(again).isNotDone();
            inner.complete(producer.requestAsync(Message.of("T", "ask"), 20_000));
            return null;
        });
        FakeCluster.await(() -> broker.sends().size() == 1);
        broker.answerHeld(ResponseCode.MESSAGE_ILLEGAL, "no");
        assertThatThrownBy(() -> inner.get().get())
                .satisfies(failure -> assertThat(Failures.unwrap(failure)).isInstanceOf(BufferFullException.class));
        callback.get();
        FakeCluster.await(() -> broker.sends().size() == 2);
        broker.answerHeld(ResponseCode.MESSAGE_ILLEGAL, "no");
    }

    @Test
    void aRequestCountsInTheMemoryWhileItsRouteIsLookedForAndNotAfterIt() throws Exception {
        nameServer.hold(Integer.MAX_VALUE);
        Producer producer = cluster.producer(p -> p);
        CompletableFuture<Message> asked;
        ProducerMetrics asking;
        long timeoutMs = 100;
        do { // longer each time, until this thread has looked before the time is over
            timeoutMs *= 2;
            asked = producer.requestAsync(Message.of("T", "ask"), timeoutMs);
            asking = producer.metrics();
        } while (asked.isDone());
        assertThat(asking.bufferedMessages()).isEqualTo(1);
        assertThat(asking.bufferedBytes()).isPositive();
        assertThatThrownBy(asked::get).isNotNull();
        assertThat(producer.metrics().bufferedMessages()).isZero();
        nameServer.hold(0);
        nameServer.answerHeld();
        assertThat(producer.queues("T")).hasSize(1);
        assertThat(broker.sends()).isEmpty();
    }

    @Test
    void aCompressedReplyIsInflatedOnAThreadOfItsOwnUpToTheSizeOfAMessage() throws Exception {
        Producer producer = cluster.producer(p -> p.maxMessageBytes(1_000_000));
        for (int bytes : new int[] {1_000_000, 1_000_001}) {
            int before = broker.sends().size();
            CompletableFuture<String> thread = new CompletableFuture<>();
            CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 20_000);
            CompletableFuture<Message> seen = reply.whenComplete(
                    (message, failure) -> thread.complete(Thread.currentThread().getName()));
            FakeCluster.await(() -> broker.sends().size() > before);
            String id = Objects.requireNonNull(
                            broker.sends().get(before).header().properties())
                    .get(PropertyKey.CORRELATION_ID);
            byte[] packed = new BodyCodec(1 << 24)
                    .compress(CompressionType.ZLIB, new byte[bytes], 5, FailureSite.untried("T", 0));
            broker.producers()
                    .push(
                            producer.clientId(),
                            Map.of(PropertyKey.CORRELATION_ID, String.valueOf(id)),
                            SysFlag.COMPRESSED | CompressionType.ZLIB.flag(),
                            packed)
                    .get();
            assertThat(thread.get()).startsWith("perigee-replies-");
            if (bytes == 1_000_000) {
                assertThat(seen.get().body()).hasSize(bytes);
            } else {
                assertThatThrownBy(seen::get)
                        .satisfies(failure -> assertThat(Failures.unwrap(failure))
                                .isInstanceOf(MalformedAnswerException.class)
                                .hasMessageContaining("1000000"));
            }
        }
    }
}
