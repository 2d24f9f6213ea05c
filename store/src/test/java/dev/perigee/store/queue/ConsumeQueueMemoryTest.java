package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.FileDisk;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.TestFrame;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConsumeQueueMemoryTest {
    private static final int TOPICS = 1000;
    private static final int QUEUES = 4;
    private static final int ROUNDS = 300;
    private static final long LIMIT_BYTES = 64L << 20;

    @TempDir
    private Path folder;

    @Test
    void fourThousandQueuesStayWithinTheirMemory() throws Exception {
        ConsumeQueueView view =
                new ConsumeQueueView(new FileDisk(folder), QueueConfig.DEFAULT, (at, size) -> FrameTimes.GONE);
        ByteBuffer[] frames = new ByteBuffer[TOPICS * QUEUES];
        for (int i = 0; i < frames.length; i++) {
            frames[i] = TestFrame.of("topic" + i / QUEUES, i % QUEUES, 0).encode(0, 1);
        }
        LogEntry entry = new LogEntry();
        long offset = 0;
        for (int round = 0; round < ROUNDS; round++) {
            for (ByteBuffer frame : frames) {
                frame.putLong(20, round);
                view.apply(entry.wrap(frame, 0, offset));
                offset += frame.capacity();
            }
            view.passEnded();
            assertThat(view.memoryBytes()).isLessThanOrEqualTo(LIMIT_BYTES / 2);
        }
        for (String topic : view.topics()) {
            for (int queueId = 0; queueId < QUEUES; queueId++) {
                assertThat(Objects.requireNonNull(view.find(topic, queueId)).maxOffset())
                        .isEqualTo(ROUNDS);
            }
        }
        long[] seen = new long[1];
        int examined = Objects.requireNonNull(view.find("topic7", 3)).read(0, ROUNDS, (at, physical, size, tag) -> {
            assertThat(at).isEqualTo(seen[0]++);
            return true;
        });
        assertThat(examined).isEqualTo(ROUNDS);
        view.forget();
    }
}
