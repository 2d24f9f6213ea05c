package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.ClosedException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is under way when a client closes ends, with a typed failure that says where it stood. */
final class ProducerCloseTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);

    private ProducerWorld all;
    private World world;
    private FakeBroker broker;

    @BeforeEach
    void oneBroker() throws Exception {
        all = new ProducerWorld(2);
        world = all.world();
        broker = all.broker();
    }

    private Producer producer() {
        return all.start(all.builder().whenFull(WhenFull.FAIL));
    }

    private static Throwable failure(CompletableFuture<?> future) {
        return Failures.unwrap(catchThrowable(future::join));
    }

    @ParameterizedTest
    @ValueSource(ints = {FakeBroker.SILENCE, ResponseCode.SYSTEM_BUSY, ResponseCode.SERVICE_NOT_AVAILABLE})
    void everySendUnderWayEndsWhenTheProducerCloses(int code) {
        broker.onSend(sent -> code);
        Producer producer = producer();
        List<CompletableFuture<SendResult>> results = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            results.add(
                    producer.sendAsync(Message.of("T", "m" + i), i % 2 == 0 ? QUEUE : new MessageQueue("T", "a", 1)));
            results.add(producer.sendAsync(Message.of("T", "n" + i)));
        }
        world.run(10, 10);
        List<CompletableFuture<SendResult>> open =
                results.stream().filter(r -> !r.isDone()).toList();
        assertThat(open).isNotEmpty();
        producer.close();
        world.remove(producer.loop());
        world.settle();

        assertThat(open).allSatisfy(result -> {
            assertThat(result).isCompletedExceptionally();
            assertThat(failure(result))
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("topic=T")
                    .hasMessageContaining("remainingMs=");
        });
        assertThat(producer.metrics().bufferedMessages()).isZero();
        assertThat(producer.metrics().bufferedBytes()).isZero();
    }

    @Test
    void aSendThatWasSentBeforeTheCloseMayHaveTakenEffect() {
        broker.onSend(sent -> FakeBroker.SILENCE);
        Producer producer = producer();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"), QUEUE);
        world.settle();
        producer.close();
        world.settle();

        assertThat(failure(result)).isInstanceOfSatisfying(ClosedException.class, closed -> {
            assertThat(closed.mayHaveTakenEffect()).isTrue();
            assertThat(closed.site().address()).isEqualTo(broker.address());
            assertThat(closed.site().attempt()).isEqualTo(1);
        });
    }

    @Test
    void aClosedPullConsumerRefusesInsteadOfHanging() throws Exception {
        PullConsumer consumer =
                world.in(PullConsumer.builder()).group("g").instanceName("c").build();
        world.add(consumer.loop());
        consumer.subscribe("T", "*");
        world.await(consumer.startAsync(), 10_000);
        consumer.close();

        assertThat(catchThrowable(consumer::commit)).isInstanceOf(ClosedException.class);
        assertThat(catchThrowable(() -> consumer.poll(0))).isInstanceOf(ClosedException.class);
        assertThat(catchThrowable(consumer::assignment)).isInstanceOf(ClosedException.class);
    }

    @Test
    void aMissingRouteNamesTheNameServerThatSaidSo() {
        Producer producer = producer();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("nowhere", "m"));
        world.settle();

        assertThat(failure(result)).isInstanceOf(NoRouteException.class);
        assertThat(failure(result).getCause()).isInstanceOfSatisfying(ClientException.class, said -> {
            assertThat(said.site().address()).isEqualTo(world.nameServer().address());
            assertThat(said.site().attempt()).isEqualTo(1);
            assertThat(said.site().remainingMs()).isPositive();
        });
    }

    @Test
    void aSilentNameServerIsNamed() {
        world.nameServer().close();
        Producer producer = producer();
        CompletableFuture<SendResult> result = producer.sendAsync(Message.of("T", "m"));
        world.run(10_000, 100);

        assertThat(failure(result))
                .isInstanceOf(NoNameServerException.class)
                .hasMessageContaining("address=" + world.nameServer().address())
                .hasMessageContaining("topic=T")
                .hasMessageContaining("attempt=1");
    }
}
