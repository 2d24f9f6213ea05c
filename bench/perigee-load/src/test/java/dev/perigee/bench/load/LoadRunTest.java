package dev.perigee.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

final class LoadRunTest {
    /** A queue in memory that acknowledges at once, or refuses on the caller's thread. */
    private static final class Memory implements Target {
        private final List<String> topics = new ArrayList<>();
        private final List<byte[]> backlog = new ArrayList<>();
        private final AtomicInteger sentAsync = new AtomicInteger();
        private Consumer<byte[]> listener = body -> {};
        private boolean refusing;

        @Override
        public void createTopic(String topic, int queues) {
            topics.add(topic + ":" + queues);
        }

        @Override
        public synchronized void send(String topic, byte[] body) {
            if (refusing) {
                throw new IllegalStateException("refused");
            }
            backlog.add(body);
            listener.accept(body);
        }

        @Override
        public void sendAsync(String topic, byte[] body, Consumer<Throwable> done) {
            if (refusing) {
                throw new IllegalStateException("refused");
            }
            sentAsync.incrementAndGet();
            done.accept(null);
        }

        @Override
        public void sendBatch(String topic, List<byte[]> bodies) {
            bodies.forEach(body -> send(topic, body));
        }

        @Override
        public void consume(String topic, String group, Consumer<byte[]> onMessage) {
            List.copyOf(backlog).forEach(onMessage);
            listener = onMessage;
        }

        @Override
        public void close() {}
    }

    private final Memory memory = new Memory();

    private List<String> run(String... words) throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new LoadRun(LoadPlan.of(words), memory, new PrintStream(bytes, true, StandardCharsets.UTF_8)).run();
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private static long value(List<String> lines, String key) {
        String result = lines.get(lines.size() - 1);
        return Long.parseLong(result.replaceAll(".*\\b" + key + "=(\\d+).*", "$1"));
    }

    @Test
    void theFirstThirdOfABacklogWarmsUpAndNothingBeyondItCounts() throws Exception {
        run("mode=fill", "count=64", "batchCount=32", "sizeBytes=8");
        List<String> lines = run("mode=backlog", "count=60", "sizeBytes=8");

        assertThat(memory.backlog).hasSize(64);
        assertThat(lines).startsWith("MARK begin", "MARK end");
        assertThat(value(lines, "count")).isEqualTo(40);
        assertThat(value(lines, "failed")).isZero();
    }

    @Test
    void aFillThatIsRefusedSaysHowMuchIsMissing() throws Exception {
        memory.refusing = true;
        List<String> lines = run("mode=fill", "count=64", "batchCount=32", "sizeBytes=8", "threads=2");

        assertThat(value(lines, "count")).isZero();
        assertThat(value(lines, "failed")).isEqualTo(2);
    }

    @Test
    void aPacedLoadSendsNoMoreThanItsRate() throws Exception {
        long begunNs = System.nanoTime();
        List<String> lines = run("mode=paced", "threads=2", "rate=100", "warmupMs=0", "windowMs=100", "sizeBytes=8");
        double seconds = (System.nanoTime() - begunNs) / 1e9;

        assertThat(lines).startsWith("MARK begin", "MARK end");
        assertThat(memory.sentAsync.get()).isLessThanOrEqualTo((int) (100 * seconds));
        assertThat(value(lines, "failed")).isZero();
    }

    @Test
    void aPaceIsNeverAheadOfItsRate() {
        long begunNs = System.nanoTime();
        Pace pace = new Pace(1_000);
        for (int i = 0; i < 20; i++) {
            pace.await();
        }

        assertThat(System.nanoTime() - begunNs).isGreaterThanOrEqualTo(20_000_000L);
    }

    @Test
    void aSenderGoesOnAfterARefusalOnItsOwnThread() throws Exception {
        memory.refusing = true;
        List<String> lines = run("mode=async", "inFlight=2", "warmupMs=10", "windowMs=20", "sizeBytes=8");

        assertThat(value(lines, "failed")).isGreaterThan(2);
        assertThat(value(lines, "count")).isZero();
    }

    @Test
    void allTopicsAreCreatedWithTheirQueues() throws Exception {
        List<String> lines = run("mode=create", "topics=3", "queues=4");

        assertThat(memory.topics).containsExactly("bench_0:4", "bench_1:4", "bench_2:4");
        assertThat(value(lines, "count")).isEqualTo(3);
    }

    @Test
    void aStreamThatCannotKeepItsPaceCountsItsMisses() throws Exception {
        List<String> lines = run("mode=endtoend", "rate=1000000000", "warmupMs=10", "windowMs=20", "sizeBytes=8");

        assertThat(value(lines, "paceMisses")).isPositive();
    }
}
