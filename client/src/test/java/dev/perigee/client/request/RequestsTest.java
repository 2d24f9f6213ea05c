package dev.perigee.client.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.codec.BodyCodec;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.MalformedAnswerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.World;
import dev.perigee.client.producer.Producer;
import dev.perigee.protocol.message.CompressionType;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests and what becomes of their replies, on one thread and a turned clock. */
final class RequestsTest {
    private static final String REPLY_TOPIC = "C_REPLY_TOPIC";

    private World world;
    private FakeBroker a;
    private FakeBroker b;

    @BeforeEach
    void open() throws Exception {
        world = new World();
        a = world.broker("a");
        b = world.broker("b");
        world.nameServer().route("T", 1, a);
        world.nameServer().route(REPLY_TOPIC, 1, a, b);
    }

    private Producer producer() {
        Producer producer = world.in(Producer.builder())
                .group("p")
                .instanceName("i")
                .sendTimeoutMs(3_000)
                .random(new Random(1))
                .build();
        world.add(producer.loop());
        producer.start();
        return producer;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private Map<String, String> asked(int request) {
        PropertyText properties = a.sends().get(request).header().properties();
        return properties == null ? Map.of() : properties.toMap();
    }

    private static Throwable failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return Failures.unwrap(catchThrowable(future::join));
    }

    @Test
    void aRequestSaysWhoAsksAndGetsItsReply() {
        Producer producer = producer();
        CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 5_000);
        world.settle();
        assertThat(reply).isNotDone();
        Map<String, String> asked = asked(0);
        assertThat(asked).containsEntry(PropertyKey.REPLY_TO_CLIENT, producer.clientId());
        assertThat(asked).containsEntry(PropertyKey.TTL, "5000");
        String id = asked.getOrDefault(PropertyKey.CORRELATION_ID, "");
        assertThat(id).hasSize(36);
        assertThat(producer.metrics().waitingRequests()).isEqualTo(1);

        var pushed = a.producers()
                .push(producer.clientId(), Map.of(PropertyKey.CORRELATION_ID, id, "mine", "value"), 0, bytes("answer"));
        Message answer = world.await(reply, 1_000);
        assertThat(answer.bodyText()).isEqualTo("answer");
        assertThat(answer.topic()).isEqualTo(REPLY_TOPIC);
        assertThat(answer.property("mine")).isEqualTo("value");
        assertThat(answer.property(PropertyKey.ARRIVE_TIME)).isNotNull();
        assertThat(world.await(pushed, 1_000).code()).isZero();
        assertThat(producer.metrics().waitingRequests()).isZero();
        assertThat(producer.metrics().lateReplies()).isZero();
    }

    @Test
    void everyBrokerOfTheReplyTopicKnowsTheAskerBeforeTheRequestLeaves() {
        Producer producer = producer();
        boolean[] known = new boolean[1];
        a.onSend(sent -> {
            known[0] = a.producers().knows(producer.clientId()) && b.producers().knows(producer.clientId());
            return null;
        });
        CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 5_000);
        world.settle();
        assertThat(reply).isNotDone();
        assertThat(a.sends()).hasSize(1);
        assertThat(known[0]).isTrue();
    }

    @Test
    void aBrokerThatJoinsTheReplyTopicIsGreetedBeforeTheNextRequest() throws Exception {
        Producer producer = producer();
        CompletableFuture<Message> first = producer.requestAsync(Message.of("T", "ask"), 5_000);
        world.settle();
        FakeBroker joining = world.broker("c");
        world.nameServer().route(REPLY_TOPIC, 1, a, b, joining);
        world.run(31_000, 1_000); // a look at the routes
        boolean[] known = new boolean[1];
        a.onSend(sent -> {
            known[0] = joining.producers().knows(producer.clientId());
            return null;
        });
        CompletableFuture<Message> second = producer.requestAsync(Message.of("T", "ask"), 5_000);
        world.settle();
        assertThat(known[0]).isTrue();
        assertThat(failure(first)).isInstanceOf(DeadlineExceededException.class);
        assertThat(second).isNotDone();
    }

    @Test
    void aBrokerThatCannotBeGreetedDelaysARequestAndNoMore() {
        b.close();
        Producer producer = producer();
        CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 20_000);
        world.run(10_000, 100);
        assertThat(reply).isNotDone();
        assertThat(a.sends()).hasSize(1);
    }

    @Test
    void aReplyAfterTheTimeoutIsCounted() {
        Producer producer = producer();
        CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 1_000);
        world.run(900, 10);
        assertThat(reply).isNotDone();
        world.run(200, 10);
        Throwable failure = failure(reply);
        assertThat(failure).isInstanceOf(DeadlineExceededException.class).hasMessageContaining("wait for a reply");
        assertThat(((ClientException) failure).mayHaveTakenEffect()).isTrue();
        assertThat(producer.metrics().waitingRequests()).isZero();

        Map<String, String> id =
                Map.of(PropertyKey.CORRELATION_ID, asked(0).getOrDefault(PropertyKey.CORRELATION_ID, ""));
        var late = a.producers().push(producer.clientId(), id, 0, bytes("late"));
        assertThat(world.await(late, 1_000).code())
                .as("the broker can do nothing about it")
                .isZero();
        assertThat(producer.metrics().lateReplies()).isEqualTo(1);
    }

    @Test
    void aSecondReplyAndOneWithoutAnIdAreLate() {
        Producer producer = producer();
        CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 1_000);
        world.settle();
        Map<String, String> id =
                Map.of(PropertyKey.CORRELATION_ID, asked(0).getOrDefault(PropertyKey.CORRELATION_ID, ""));
        var first = a.producers().push(producer.clientId(), id, 0, bytes("one"));
        var second = b.producers().push(producer.clientId(), id, 0, bytes("two"));
        var third = b.producers().push(producer.clientId(), Map.of("mine", "value"), 0, bytes("three"));
        world.settle();
        assertThat(reply.join().bodyText()).isEqualTo("one");
        assertThat(first.join().code() + second.join().code() + third.join().code())
                .isZero();
        assertThat(producer.metrics().lateReplies()).isEqualTo(2);
    }

    @Test
    void repliesAreInflatedAndGarbageFailsItsRequestOnly() throws Exception {
        Producer producer = producer();
        CompletableFuture<Message> good = producer.requestAsync(Message.of("T", "ask"), 1_000);
        world.settle();
        CompletableFuture<Message> bad = producer.requestAsync(Message.of("T", "ask"), 1_000);
        world.settle();
        byte[] packed = new BodyCodec(1 << 20)
                .compress(CompressionType.ZSTD, bytes("long ".repeat(100)), 1, FailureSite.untried("T", 0));
        int flag = SysFlag.COMPRESSED | CompressionType.ZSTD.flag();
        for (int request = 0; request < 2; request++) {
            Map<String, String> id =
                    Map.of(PropertyKey.CORRELATION_ID, asked(request).getOrDefault(PropertyKey.CORRELATION_ID, ""));
            var pushed = a.producers().push(producer.clientId(), id, flag, request == 0 ? packed : bytes("no frame"));
            assertThat(world.await(pushed, 1_000).code()).isZero();
        }
        assertThat(good.join().bodyText()).isEqualTo("long ".repeat(100));
        assertThat(failure(bad)).isInstanceOf(MalformedAnswerException.class);
    }

    @Test
    void aSendThatFailsFailsItsRequestAtOnce() {
        Producer producer = producer();
        a.onSend(sent -> ResponseCode.MESSAGE_ILLEGAL);
        CompletableFuture<Message> refused = producer.requestAsync(Message.of("T", "ask"), 60_000);
        CompletableFuture<Message> nowhere = producer.requestAsync(Message.of("Nowhere", "ask"), 60_000);
        CompletableFuture<Message> empty = producer.requestAsync(Message.of("T", ""), 60_000);
        world.settle();
        assertThat(failure(refused)).isInstanceOf(RefusedException.class);
        assertThat(failure(nowhere)).isInstanceOf(NoRouteException.class);
        assertThat(failure(empty)).isInstanceOf(InvalidMessageException.class);
        assertThat(producer.metrics().waitingRequests()).isZero();
    }

    @Test
    void aRequestNobodyWaitsForAnyMoreIsNotSent() {
        world.nameServer().hold(1);
        Producer producer = producer();
        CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 100);
        world.run(200, 10);
        assertThat(failure(reply)).isInstanceOf(DeadlineExceededException.class);
        assertThat(((ClientException) failure(reply)).mayHaveTakenEffect()).isFalse();
        world.nameServer().answerHeld();
        world.settle();
        assertThat(a.sends()).isEmpty();
    }

    @Test
    void closingEndsTheWait() {
        Producer producer = producer();
        CompletableFuture<Message> reply = producer.requestAsync(Message.of("T", "ask"), 60_000);
        world.settle();
        producer.close();
        assertThat(failure(reply)).isInstanceOf(ClosedException.class);
        assertThat(producer.metrics().waitingRequests()).isZero();
    }

    @Test
    void aTimeoutIsAboveZero() {
        Producer producer = producer();
        assertThatThrownBy(() -> producer.request(Message.of("T", "ask"), 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeoutMs=0");
    }
}
