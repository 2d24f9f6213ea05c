package dev.perigee.store.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.QueueFloor;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.log.LogHorizon;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Where queues stand at the end of a log is the same whether frames were appended, received, cut or folded anew. */
final class TailQueuesTest {
    private static final List<String> TOPICS = List.of("a", "b", "c");
    private static final int QUEUES = 12;
    private static final int FRAME_BYTES = 100;

    private record Entry(
            ByteBuffer frame, long offset, @Nullable Fact fact) {}

    /** A log of frames with what its tail knows. */
    @OwnedBy("the test")
    private static final class Log {
        private final Random random;
        private final LogHorizon horizon = new LogHorizon();
        private final TailQueues queues = new TailQueues(horizon);
        private final List<Entry> entries = new ArrayList<>();
        private final FactFrames facts = new FactFrames(Clock.system());
        private long end;
        private int floors;

        Log(Random random) {
            this.random = random;
        }

        void append() {
            String topic = TOPICS.get(random.nextInt(TOPICS.size()));
            int queueId = random.nextInt(QUEUES);
            switch (random.nextInt(12)) {
                case 0 -> fact(new TopicDeleted(topic));
                case 1 -> fact(new TopicChanged(TopicConfig.of(topic, QUEUES)));
                case 2 ->
                    fact(new QueueEnds(
                            topic, Map.of(queueId, queues.offsets().next(topic, queueId) + 1 + random.nextInt(5))));
                case 3 -> fact(random.nextBoolean() ? new QueueFloor(++floors * 10_000L) : trimmed());
                default -> message(topic, queueId);
            }
        }

        private LogTrimmed trimmed() {
            return new LogTrimmed(Math.max(0, end - (long) random.nextInt(60) * FRAME_BYTES));
        }

        private void message(String topic, int queueId) {
            if (queues.isClosed(topic)) {
                return;
            }
            FrameDraft draft = new FrameDraft()
                    .topic(topic.getBytes(StandardCharsets.UTF_8))
                    .queueId(queueId);
            ByteBuffer frame = ByteBuffer.allocate(draft.sizeBytes());
            draft.writeTo(frame);
            boolean own = random.nextBoolean();
            long queueOffset = own
                    ? queues.offsets().take(topic, queueId, 1)
                    : queues.offsets().next(topic, queueId);
            frame.putLong(MessageFrame.QUEUE_OFFSET_AT, queueOffset);
            Entry entry = new Entry(frame, end, null);
            if (!own) {
                fold(queues, entry);
            }
            add(entry);
        }

        private void fact(Fact fact) {
            Entry entry = new Entry(facts.encode(fact), end, fact);
            fold(queues, entry);
            add(entry);
        }

        private void add(Entry entry) {
            entries.add(entry);
            end += FRAME_BYTES;
            horizon.end(end);
        }

        private static void fold(TailQueues target, Entry entry) {
            target.frame(new MessageFrame().wrap(entry.frame(), 0), entry.offset(), entry.fact());
        }

        void confirmSome() {
            long open = (end - horizon.confirm()) / FRAME_BYTES;
            horizon.confirm(horizon.confirm() + random.nextInt((int) open + 1) * (long) FRAME_BYTES);
        }

        void cut() {
            long open = (end - horizon.confirm()) / FRAME_BYTES;
            long newEnd = horizon.confirm() + random.nextInt((int) open + 1) * (long) FRAME_BYTES;
            TailQueues.Rollback rollback = queues.rollback(newEnd);
            for (Entry entry : entries) {
                if (entry.offset() >= newEnd) {
                    rollback.frame(new MessageFrame().wrap(entry.frame(), 0), entry.offset(), entry.fact());
                }
            }
            rollback.finish();
            entries.removeIf(entry -> entry.offset() >= newEnd);
            end = newEnd;
            horizon.end(end);
        }

        void assertAsFoldedAnew(String context) {
            TailQueues anew = new TailQueues(horizon);
            entries.forEach(entry -> fold(anew, entry));
            for (String topic : TOPICS) {
                assertThat(queues.isClosed(topic))
                        .as("%s topic %s", context, topic)
                        .isEqualTo(anew.isClosed(topic));
                for (int queueId = 0; queueId < QUEUES; queueId++) {
                    assertThat(queues.offsets().next(topic, queueId))
                            .as("%s topic %s queue %d", context, topic, queueId)
                            .isEqualTo(anew.offsets().next(topic, queueId));
                }
            }
        }
    }

    @Test
    void aCutLeavesTheQueuesAsIfWhatItTookHadNeverBeenThere() {
        for (int seed = 0; seed < 500; seed++) {
            Random random = new Random(seed);
            Log log = new Log(random);
            for (int round = 0; round < 6; round++) {
                for (int i = random.nextInt(40); i > 0; i--) {
                    log.append();
                    if (random.nextInt(6) == 0) {
                        log.confirmSome();
                    }
                }
                log.assertAsFoldedAnew("seed " + seed + " round " + round);
                log.cut();
                log.assertAsFoldedAnew("seed " + seed + " round " + round + " cut");
            }
        }
    }

    @Test
    void aQueueNobodyUsedBeginsBehindAFloorThatCameLater() { // R23
        LogHorizon horizon = new LogHorizon();
        TailQueues queues = new TailQueues(horizon);
        queues.offsets().take("a", 0, 1);
        assertThat(queues.offsets().next("a", 1)).isZero();
        queues.fact(new QueueFloor(700), 200);
        assertThat(queues.offsets().next("a", 1)).isEqualTo(700);
        assertThat(queues.offsets().take("a", 1, 2)).isEqualTo(700);
        assertThat(queues.offsets().next("a", 1)).isEqualTo(702);
        assertThat(queues.offsets().next("a", 0)).isEqualTo(1);
    }
}
