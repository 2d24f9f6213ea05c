package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.message.SysFlag;
import dev.perigee.protocol.property.PropertyKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A committed message says that it was a half; sent on as it was read it is an ordinary one. */
final class ForwardedMessagesTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 1);
    private static final Message COMMITTED = Message.of("T", "m")
            .withProperty(PropertyKey.TRANSACTION_PREPARED, "true")
            .withProperty(PropertyKey.PRODUCER_GROUP, "another");

    private World world;
    private FakeBroker broker;
    private Producer producer;

    @BeforeEach
    void oneBroker() throws Exception {
        ProducerWorld all = new ProducerWorld(2);
        world = all.world();
        broker = all.broker();
        producer = all.start(all.builder());
    }

    @Test
    void aMessageThatWasReadIsNoHalfHoweverItIsSentOn() throws Exception {
        List<CompletableFuture<SendResult>> sent = new ArrayList<>();
        sent.add(producer.sendAsync(COMMITTED));
        sent.add(producer.sendAsync(COMMITTED, QUEUE));
        sent.add(producer.sendAsync(COMMITTED, (queues, message, argument) -> queues.get(0), "k"));
        sent.add(producer.sendAsync(List.of(COMMITTED, COMMITTED)));
        sent.add(producer.sendAsync(COMMITTED.withProperty(PropertyKey.DELAY_LEVEL, "1"), QUEUE));
        producer.sendOneway(COMMITTED);
        CompletableFuture<Message> asked = producer.requestAsync(COMMITTED, 1_000);
        world.run(2_000, 100);

        assertThat(sent).allSatisfy(result -> assertThat(result.get().status()).isEqualTo(SendStatus.SEND_OK));
        assertThat(asked).isCompletedExceptionally();
        assertThat(broker.producers().halves()).isEmpty();
        assertThat(broker.sends()).hasSizeGreaterThanOrEqualTo(6).allSatisfy(one -> {
            assertThat(SysFlag.transaction(one.header().sysFlag())).isZero();
            assertThat(String.valueOf(one.header().properties())).doesNotContain("TRAN_MSG");
            assertThat(new String(one.body(), StandardCharsets.ISO_8859_1)).doesNotContain("TRAN_MSG");
        });
    }

    @Test
    void aHalfMessageIsOne() throws ClientException {
        CompletableFuture<SendResult> half = producer.half(Message.of("T", "m")).result();
        world.settle();
        assertThat(half).isCompleted();
        assertThat(broker.producers().halves()).hasSize(1);
    }
}
