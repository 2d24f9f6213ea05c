package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.perigee.client.error.BufferFullException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.hook.SendObserver;
import dev.perigee.client.hook.SentMessage;
import dev.perigee.client.selector.MessageQueueSelector;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sends whose queue a selector of the user chooses, with and without a route at hand. */
final class SelectorSendTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final MessageQueueSelector<String> THROWS = (queues, message, argument) -> {
        throw new IllegalArgumentException("no queue for " + argument);
    };
    private static final MessageQueueSelector<String> FIRST = (queues, message, argument) -> queues.get(0);

    private ProducerWorld all;
    private World world;
    private FakeBroker broker;

    @BeforeEach
    void oneBroker() throws Exception {
        all = new ProducerWorld(2);
        world = all.world();
        broker = all.broker();
    }

    private Producer producer(WhenFull whenFull) {
        return all.start(all.builder().whenFull(whenFull).bufferMessages(1));
    }

    private Throwable failure(CompletableFuture<SendResult> future) {
        world.settle();
        assertThat(future).isCompletedExceptionally();
        return Failures.unwrap(catchThrowable(future::join));
    }

    @Test
    void selectorThatThrowsFailsItsSendWithWhatItThrew() {
        Producer producer = producer(WhenFull.FAIL);
        for (String when : new String[] {"before the route is known", "with the route at hand"}) {
            Throwable failure = failure(producer.sendAsync(Message.of("T", "m"), THROWS, when));
            assertThat(failure).as(when).isInstanceOf(IllegalArgumentException.class);
            assertThat(failure).hasMessage("no queue for " + when);
        }
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    void selectorThatFailsWithAnErrorFailsItsSendWithIt() {
        Producer producer = producer(WhenFull.FAIL);
        MessageQueueSelector<String> broken = (queues, message, argument) -> {
            throw new NoClassDefFoundError(argument);
        };
        for (String when : new String[] {"before the route is known", "with the route at hand"}) {
            Throwable failure = failure(producer.sendAsync(Message.of("T", "m"), broken, when));
            assertThat(failure)
                    .as(when)
                    .isInstanceOf(NoClassDefFoundError.class)
                    .hasMessage(when);
        }
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }

    @Test
    @SuppressWarnings("NullAway") // what a user's selector may do all the same
    void selectorThatChoosesNoQueueFailsItsSend() {
        Producer producer = producer(WhenFull.FAIL);
        MessageQueueSelector<String> none = (queues, message, argument) -> null;
        assertThat(failure(producer.sendAsync(Message.of("T", "m"), none, "k")))
                .hasMessage("the selector chose no queue");
        assertThat(broker.sends()).isEmpty();
    }

    @Test
    void observersSeeAMessageInTheContextOfItsCallerAlsoWhileTheRouteIsLookedFor() {
        ThreadLocal<String> context = new ThreadLocal<>();
        List<String> seenIn = new ArrayList<>();
        Producer producer = all.start(all.builder().observer(new SendObserver() {
            @Override
            public Message prepare(Message message) {
                seenIn.add(message.bodyText() + " in " + context.get());
                return message;
            }

            @Override
            public void ended(SentMessage what) {}
        }));
        context.set("the caller's");
        CompletableFuture<SendResult> first = producer.sendAsync(Message.of("T", "first"), FIRST, "k");
        context.set("another");
        CompletableFuture<SendResult> second = producer.sendAsync(Message.of("T", "second"), FIRST, "k");
        context.remove();
        assertThat(first).isNotDone();
        world.settle();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(seenIn).containsExactly("first in the caller's", "second in another");
    }

    @Test
    void eventLoopThatBringsTheRouteNeverWaitsForMemory() {
        broker.onSend(sent -> FakeBroker.SILENCE);
        Producer producer = producer(WhenFull.BLOCK);
        CompletableFuture<SendResult> held = producer.sendAsync(Message.of("T", "takes all the memory"), QUEUE);
        CompletableFuture<SendResult> second = producer.sendAsync(Message.of("T", "m"), FIRST, "k");
        assertTimeoutPreemptively(
                Duration.ofMinutes(1), () -> assertThat(failure(second)).isInstanceOf(BufferFullException.class));
        assertThat(held).isNotDone();
    }
}
