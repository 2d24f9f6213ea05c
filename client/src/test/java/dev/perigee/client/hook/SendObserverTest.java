package dev.perigee.client.hook;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.client.fake.FakeBroker;
import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyText;
import dev.perigee.protocol.rpc.ResponseCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Those who look on at sends see each message once, and change nothing by failing. */
final class SendObserverTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 1);

    /** Marks what it sees, and keeps it. */
    private final class Marking implements SendObserver {
        private final String mark;
        private final List<SentMessage> seen = new ArrayList<>();
        private int prepared;

        Marking(String mark) {
            this.mark = mark;
        }

        @Override
        public Message prepare(Message message) {
            prepared++;
            return message.withProperty("mark", message.properties().getOrDefault("mark", "") + mark);
        }

        @Override
        public void ended(SentMessage what) {
            seen.add(what);
            order.add(mark);
        }
    }

    /** Throws what the compiler would not let it. */
    private static final class Failing implements SendObserver {
        @Override
        public Message prepare(Message message) {
            throw new StackOverflowError("expected by the test");
        }

        @Override
        public void ended(SentMessage what) {
            throw new AssertionError("expected by the test");
        }
    }

    /** Prepares nothing. */
    private final class Forgetful implements SendObserver {
        @Override
        public @Nullable Message prepare(Message message) {
            return null;
        }

        @Override
        public void ended(SentMessage what) {
            order.add("forgetful");
        }
    }

    private final List<String> order = new ArrayList<>();
    private final Marking first = new Marking("1");
    private final Marking second = new Marking("2");
    private World world;
    private FakeBroker broker;
    private Producer producer;

    @BeforeEach
    void open() throws Exception {
        ProducerWorld all = new ProducerWorld(2);
        world = all.world();
        broker = all.broker();
        producer = all.start(all.builder()
                .observer(first)
                .observer(new Failing())
                .observer(new Forgetful())
                .observer(second));
    }

    private @Nullable String markOf(int send) {
        PropertyText properties = broker.sends().get(send).header().properties();
        return properties == null ? null : properties.get("mark");
    }

    @Test
    void aMessageIsPreparedByEachInTurnAndItsEndIsTold() {
        CompletableFuture<SendResult> sent =
                producer.sendAsync(Message.builder("T").body("m").delayLevel(3).build());
        world.settle();
        SendResult result = sent.join();
        assertThat(markOf(0)).isEqualTo("12");
        assertThat(first.seen).isEqualTo(second.seen).hasSize(1);
        SentMessage seen = first.seen.get(0);
        assertThat(seen.message().properties()).containsEntry("mark", "12");
        assertThat(seen.messageId()).isEqualTo(result.messageId());
        assertThat(seen.queue()).isEqualTo(result.queue());
        assertThat(seen.brokerAddress()).isEqualTo(broker.address());
        assertThat(seen.result()).isSameAs(result);
        assertThat(seen.failure()).isNull();
        assertThat(first.prepared).isEqualTo(1);
        assertThat(order).as("the last one first").containsExactly("2", "forgetful", "1");
    }

    @Test
    void theTimeUntilTheAnswerIsMeasured() {
        broker.onSend(sent -> FakeBroker.SILENCE);
        long startedMs = world.clock().wallMs();
        CompletableFuture<SendResult> sent = producer.sendAsync(Message.of("T", "m"), QUEUE);
        world.run(250, 50);
        broker.answerHeld(ResponseCode.MESSAGE_ILLEGAL, "no");
        world.settle();
        assertThat(sent).isCompletedExceptionally();
        SentMessage seen = first.seen.get(0);
        assertThat(seen.startedMs()).isEqualTo(startedMs);
        assertThat(seen.costMs()).isEqualTo(250);
        assertThat(seen.failure()).isInstanceOf(RefusedException.class);
        assertThat(seen.result()).isNull();
        assertThat(seen.queue()).isEqualTo(QUEUE);
        assertThat(seen.brokerAddress()).isEqualTo(broker.address());
    }

    @Test
    void eachMessageOfABatchIsToldByItself() {
        CompletableFuture<SendResult> batch =
                producer.sendAsync(List.of(Message.of("T", "one"), Message.of("T", "two")));
        CompletableFuture<SendResult> lane = producer.sendAsync(Message.of("T", "three"), QUEUE);
        world.settle();
        String[] ids = batch.join().messageId().split(",", -1);
        assertThat(first.seen).hasSize(3);
        assertThat(first.seen).extracting(seen -> seen.message().bodyText()).containsExactly("one", "two", "three");
        for (int i = 0; i < 2; i++) {
            SendResult part = Objects.requireNonNull(first.seen.get(i).result());
            assertThat(part.messageId())
                    .isEqualTo(first.seen.get(i).messageId())
                    .isEqualTo(ids[i]);
            assertThat(part.queueOffset()).isEqualTo(batch.join().queueOffset() + i);
            assertThat(batch.join().offsetMessageId().split(",", -1)[i]).isEqualTo(part.offsetMessageId());
        }
        assertThat(first.seen.get(2).result()).isSameAs(lane.join());
    }

    @Test
    void whatIsRefusedBeforeItIsSentIsNotToldOf() {
        CompletableFuture<SendResult> empty = producer.sendAsync(Message.of("T", ""));
        world.settle();
        assertThat(empty).isCompletedExceptionally();
        assertThat(empty.handle((result, failure) -> failure).join()).isInstanceOf(InvalidMessageException.class);
        assertThat(first.prepared).isEqualTo(1);
        assertThat(first.seen).isEmpty();
    }

    @Test
    void aOneWayMessageIsPreparedAndItsEndIsNotKnown() throws Exception {
        producer.sendOneway(Message.of("T", "m"));
        world.settle();
        assertThat(markOf(0)).isEqualTo("12");
        assertThat(first.seen).isEmpty();
    }
}
