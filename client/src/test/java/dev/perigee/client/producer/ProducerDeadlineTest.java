package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.selector.SelectMessageQueueByHash;
import dev.perigee.client.send.SendResult;
import dev.perigee.client.send.SendStatus;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A send ends with its own deadline, whatever the deadlines of the questions it takes. */
final class ProducerDeadlineTest {
    private ProducerWorld all;
    private World world;

    @BeforeEach
    void oneBroker() throws Exception {
        all = new ProducerWorld(1);
        world = all.world();
    }

    private Producer producer(long sendTimeoutMs, long callTimeoutMs) {
        return all.start(all.builder().sendTimeoutMs(sendTimeoutMs).callTimeoutMs(callTimeoutMs));
    }

    private static ClientException failure(CompletableFuture<?> future) {
        assertThat(future).isCompletedExceptionally();
        return (ClientException) Failures.unwrap(catchThrowable(future::join));
    }

    @Test
    void aSendOutlivesOneSlowQuestionToTheNameServer() {
        Producer producer = producer(3_000, 500);
        world.nameServer().hold(1);
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        world.run(400, 10);
        assertThat(result).isNotDone();

        assertThat(world.await(result, 2_600).status()).isEqualTo(SendStatus.SEND_OK);
        assertThat(world.nameServer().timesAsked()).isEqualTo(2);
    }

    @Test
    void aSendThatHearsNothingFromTheNameServerSaysSoAtItsDeadline() {
        Producer producer = producer(3_000, 500);
        world.nameServer().hold(100);
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        world.run(2_990, 10);
        assertThat(result).isNotDone();
        world.run(10, 10);

        assertThat(failure(result)).isInstanceOfAny(NoNameServerException.class, DeadlineExceededException.class);
        assertThat(failure(result).site().remainingMs()).isZero();
        assertThat(failure(result).mayHaveTakenEffect()).isFalse();
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    /** As a member of a group does that nobody leads: it keeps a send for a while, then says why nobody takes it. */
    @Test
    void aSendThatIsAnsweredNoMoreSaysWhatItWasAnsweredBefore() {
        FakeBroker broker = all.broker();
        Producer producer = producer(3_000, 500);
        broker.refuseSaying("nobody leads its group");
        broker.onSend(sent -> broker.sends().size() < 2 ? ResponseCode.SYSTEM_BUSY : FakeBroker.SILENCE);
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        world.run(3_100, 10);

        assertThat(failure(result))
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessageContaining("attempt=2 remainingMs=0")
                .hasMessageContaining("before, " + broker.address() + " answered: refused code=2 ")
                .hasMessageContaining("nobody leads its group");
        assertThat(failure(result).isRetryable()).isTrue();
        assertThat(failure(result).mayHaveTakenEffect()).isTrue();
    }

    @Test
    void aSendEndsWithItsDeadlineThoughOneQuestionMayTakeLonger() {
        Producer producer = producer(700, 60_000);
        world.nameServer().hold(1);
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        CompletableFuture<SendResult> selected =
                producer.sendAsync(Message.of("T", "m"), new SelectMessageQueueByHash<>(), "k");
        world.run(690, 10);
        assertThat(result).isNotDone();
        assertThat(selected).isNotDone();
        world.run(20, 10);

        for (CompletableFuture<SendResult> late : List.of(result, selected)) {
            assertThat(failure(late))
                    .isInstanceOf(DeadlineExceededException.class)
                    .hasMessageContaining("search for a route")
                    .hasMessageContaining(world.nameServer().address())
                    .hasMessageContaining("limitMs=700")
                    .hasMessageContaining("topic=T attempt=0 remainingMs=0");
            assertThat(failure(late).mayHaveTakenEffect()).isFalse();
        }
    }

    @Test
    void aOnewaySendGivesItsMemoryBackAtItsDeadline() throws Exception {
        Producer producer = producer(700, 60_000);
        world.nameServer().hold(1);
        producer.sendOneway(Message.of("T", "m"));
        world.run(690, 10);
        assertThat(producer.metrics().bufferedMessages()).isEqualTo(1);
        world.run(20, 10);
        assertThat(producer.metrics().bufferedMessages()).isZero();
        assertThat(producer.metrics().droppedOneways()).isEqualTo(1);
    }
}
