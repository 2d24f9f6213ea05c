package dev.perigee.client.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.client.fake.ProducerWorld;
import dev.perigee.client.fake.World;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.property.PropertyKey;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A message that cannot be made ready for sending holds no memory. What fails here is the clock, which is asked in the same step in
 * which a codec works.
 */
final class MemoryOfFailedSendsTest {
    private static final MessageQueue QUEUE = new MessageQueue("T", "a", 0);
    private static final Message MESSAGE = Message.of("T", "m")
            .withProperty(PropertyKey.UNIQ_KEY, "0A0000010000000000000000000000AA")
            .withProperty(PropertyKey.DELAY_LEVEL, "1");

    private final AtomicBoolean isBroken = new AtomicBoolean();
    private World world;
    private Producer producer;

    private final class BreakableClock implements Clock {
        @Override
        public long wallMs() {
            if (isBroken.get()) {
                throw new IllegalStateException("broken by the test");
            }
            return world.clock().wallMs();
        }

        @Override
        public long monotonicNs() {
            return world.clock().monotonicNs();
        }
    }

    @BeforeEach
    void open() throws Exception {
        ProducerWorld all = new ProducerWorld(1);
        world = all.world();
        producer = all.start(all.builder().clock(new BreakableClock()));
    }

    @Test
    void whateverFailsTheMemoryIsGivenBack() {
        isBroken.set(true);
        List<ThrowingCallable> ways = List.of(
                () -> producer.sendAsync(MESSAGE),
                () -> producer.sendAsync(MESSAGE, QUEUE),
                () -> producer.send(MESSAGE),
                () -> producer.send(MESSAGE, QUEUE),
                () -> producer.sendOneway(MESSAGE),
                () -> producer.half(MESSAGE));
        for (ThrowingCallable way : ways) {
            assertThatThrownBy(way).hasMessage("broken by the test");
            assertThat(producer.metrics().bufferedMessages()).isZero();
            assertThat(producer.metrics().bufferedBytes()).isZero();
        }
        isBroken.set(false);
        var sent = producer.sendAsync(MESSAGE, QUEUE);
        world.settle();
        assertThat(sent).isCompleted();
        assertThat(producer.metrics().bufferedMessages()).isZero();
    }
}
