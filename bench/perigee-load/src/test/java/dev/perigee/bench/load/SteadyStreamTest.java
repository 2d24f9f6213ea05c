package dev.perigee.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class SteadyStreamTest {
    private static final int NEVER = Integer.MAX_VALUE;

    @Test
    void steadyStreamBeginsOnlyWhenTheConsumerReceives() throws Exception {
        LateConsumer target = new LateConsumer(3);

        run(target, "firstMessageMs=60000");

        assertThat(target.probes).hasValue(3);
        assertThat(target.streamed).hasPositiveValue();
        assertThat(target.streamedTooEarly).isFalse();
    }

    @Test
    void steadyStreamDoesNotBeginWhenTheConsumerStaysSilent() throws Exception {
        LateConsumer target = new LateConsumer(NEVER);

        run(target, "firstMessageMs=1");

        assertThat(target.probes).hasPositiveValue();
        assertThat(target.streamed).hasValue(0);
    }

    private static void run(Target target, String patience) throws Exception {
        LoadPlan plan = LoadPlan.of(
                new String[] {"mode=endtoend", "rate=1000", "sizeBytes=8", "warmupMs=5", "windowMs=5", patience});
        new LoadRun(plan, target).run();
    }

    /** Delivers nothing before so many messages were sent, as a consumer that does not know its queues yet. */
    private static final class LateConsumer implements Target {
        private final int deaf;
        private final AtomicInteger probes = new AtomicInteger();
        private final AtomicInteger streamed = new AtomicInteger();
        private final AtomicBoolean streamedTooEarly = new AtomicBoolean();
        private Consumer<byte[]> listener = body -> {};

        LateConsumer(int deaf) {
            this.deaf = deaf;
        }

        @Override
        public void createTopic(String topic, int queues) {
            throw new UnsupportedOperationException("a steady stream finds its topic there");
        }

        @Override
        public void send(String topic, byte[] body) {
            if (probes.incrementAndGet() >= deaf) {
                listener.accept(body);
            }
        }

        @Override
        public void sendAsync(String topic, byte[] body, Consumer<Throwable> done) {
            if (probes.get() < deaf) {
                streamedTooEarly.set(true);
            }
            streamed.incrementAndGet();
            listener.accept(body);
        }

        @Override
        public void sendBatch(String topic, List<byte[]> bodies) {
            throw new UnsupportedOperationException("a steady stream has no batches");
        }

        @Override
        public void consume(String topic, String group, Consumer<byte[]> onMessage) {
            listener = body -> {
                assertThat(ByteBuffer.wrap(body).getLong()).isPositive();
                onMessage.accept(body);
            };
        }

        @Override
        public void close() {}
    }
}
