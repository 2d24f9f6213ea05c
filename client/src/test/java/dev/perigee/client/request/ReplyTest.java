package dev.perigee.client.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.FakeNameServer;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageDecoder;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.remoting.netty.EventLoops;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answering requests, over real sockets. */
final class ReplyTest {
    private static final byte[] ANSWER = "answer".getBytes(StandardCharsets.UTF_8);

    private final EventLoops loops = EventLoops.start("replies", 1);
    private FakeNameServer nameServer;
    private FakeBroker a;
    private FakeBroker b;
    private Producer asker;
    private Producer replier;

    @BeforeEach
    void open() throws Exception {
        nameServer = new FakeNameServer(loops, Clock.system());
        a = new FakeBroker("a", loops, Clock.system());
        b = new FakeBroker("b", loops, Clock.system());
        nameServer.route("T", 1, b);
        nameServer.route("C_REPLY_TOPIC", 1, a, b);
        asker = producer("asker");
        replier = producer("replier");
    }

    @AfterEach
    void close() {
        asker.close();
        replier.close();
        a.close();
        b.close();
        nameServer.close();
        loops.close();
    }

    private Producer producer(String group) {
        Producer producer = Producer.builder()
                .nameServers(nameServer.address())
                .transport(loops)
                .clientIp("127.0.0.1")
                .group(group)
                .callTimeoutMs(20_000)
                .sendTimeoutMs(20_000)
                .build();
        producer.start();
        return producer;
    }

    /** The request as a consumer gets it: the broker has added its cluster. */
    private MessageExt request() throws Exception {
        Awaitility.await().atMost(ONE_MINUTE).until(() -> b.log().endOffset("T", 0) > 0);
        MessageExt stored = MessageDecoder.decodeAll(ByteBuffer.wrap(b.log().frame("T", 0, 0)), "b")
                .get(0);
        return stored.withMessage(stored.message().withProperty(PropertyKey.CLUSTER, "C"));
    }

    @Test
    void aReplyGoesThroughTheBrokerOfTheRequestAndArrives() throws Exception {
        CompletableFuture<Message> reply = asker.requestAsync(Message.of("T", "ask"), 20_000);
        MessageExt request = request();
        SendResult sent = replier.reply(request, ANSWER);

        assertThat(reply.get().bodyText()).isEqualTo("answer");
        assertThat(sent.offsetMessageId()).isEqualTo("0");
        assertThat(a.producers().replies()).isEmpty();
        SendMessageHeader header = b.producers().replies().get(0);
        PropertyText properties = Objects.requireNonNull(header.properties());
        assertThat(header.topic()).isEqualTo("C_REPLY_TOPIC");
        assertThat(properties.toMap())
                .containsEntry(PropertyKey.MESSAGE_TYPE, "reply")
                .containsEntry(PropertyKey.TTL, "20000")
                .containsEntry(PropertyKey.REPLY_TO_CLIENT, asker.clientId())
                .containsEntry(PropertyKey.CORRELATION_ID, request.property(PropertyKey.CORRELATION_ID));
    }

    @Test
    void whereTheBrokerOfTheRequestDoesNotReachTheAskerAnotherOneDoes() throws Exception {
        CompletableFuture<Message> reply = asker.requestAsync(Message.of("T", "ask"), 20_000);
        MessageExt request = request();
        b.producers().forget(asker.clientId());
        SendResult sent = replier.reply(request, ANSWER);
        assertThat(sent.queue().brokerName()).isEqualTo("a");
        assertThat(reply.get().bodyText()).isEqualTo("answer");
    }

    @Test
    void aReplyToSomebodyWhoIsGoneFailsWithTheReason() throws Exception {
        CompletableFuture<Message> reply = asker.requestAsync(Message.of("T", "ask"), 20_000);
        MessageExt request = request();
        asker.close();
        assertThat(reply).failsWithin(ONE_MINUTE);
        Awaitility.await()
                .atMost(ONE_MINUTE)
                .until(() ->
                        !a.producers().knows(asker.clientId()) && !b.producers().knows(asker.clientId()));
        assertThatThrownBy(() -> replier.reply(request, ANSWER))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("channel of <" + asker.clientId() + "> not found");
    }

    @Test
    void whatIsNoRequestIsRefusedByTheNameOfWhatItLacks() throws Exception {
        CompletableFuture<Message> reply = asker.requestAsync(Message.of("T", "ask"), 20_000);
        MessageExt request = request();
        for (String name :
                new String[] {PropertyKey.CORRELATION_ID, PropertyKey.REPLY_TO_CLIENT, PropertyKey.CLUSTER}) {
            Map<String, String> without = new LinkedHashMap<>(request.properties());
            without.remove(name);
            MessageExt lacking = request.withMessage(new Message("T", request.body(), 0, without));
            assertThatThrownBy(() -> replier.reply(lacking, ANSWER))
                    .as(name)
                    .isInstanceOf(InvalidMessageException.class)
                    .hasMessageContaining("request." + name + "=null");
        }
        assertThat(a.producers().replies()).isEmpty();
        assertThat(b.producers().replies()).isEmpty();
        assertThat(reply).isNotDone();
    }
}
