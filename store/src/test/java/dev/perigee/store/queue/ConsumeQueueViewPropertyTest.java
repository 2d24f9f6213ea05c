package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.block.BlockWriter;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.Preparer.StandingTask;
import dev.perigee.store.view.TestFrame;
import dev.perigee.store.view.ViewWorld;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random topics, queues, deletions, gaps, trims, checkpoints and restarts against a plain map. */
class ConsumeQueueViewPropertyTest {
    private static final int STEPS = 600;
    private static final String[] TOPICS = {"orders", "%RETRY%group", "view_checkpoint", "a|b", "x"};

    private record Message(long queueOffset, long physicalOffset, int sizeBytes, long tagHash) {}

    /** What a queue is expected to hold. */
    private static final class Model {
        final List<Message> messages = new ArrayList<>();
        long max;

        void trim(long start) {
            messages.removeIf(message -> message.physicalOffset() < start);
        }

        long min() {
            return messages.isEmpty() ? max : messages.get(0).queueOffset();
        }
    }

    private final Map<String, Map<Integer, Model>> models = new TreeMap<>();
    private final Map<String, Integer> counts = new HashMap<>();
    private boolean elsewhere;
    private @Nullable ConsumeQueueView writtenElsewhere;
    private StandingTask writing =
            new BlockWriter<>("none", new QueueFiles(new CrashingDisk(new Random(0)), QueueWorld.SMALL));

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void viewHoldsWhatTheModelHolds(long seed) throws Exception {
        live(seed, new Random(seed));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void viewHoldsItTooWhenItsFilesAreWrittenElsewhereAndLate(long seed) throws Exception {
        elsewhere = true;
        live(seed, new Random(1_000 + seed));
    }

    private void live(long seed, Random random) throws Exception {
        ViewWorld<ConsumeQueueView> world = QueueWorld.open(seed, QueueWorld.SMALL);
        for (int step = 0; step < STEPS; step++) {
            step(world, random);
            if (random.nextInt(20) == 0) {
                check(world, "seed " + seed + " step " + step);
            }
        }
        check(world, "seed " + seed + " end");
        assertThat(world.differenceFromRebuilt(disk -> new ConsumeQueueView(disk, QueueWorld.SMALL, (at, size) -> 0)))
                .as("rebuild equals live, seed %d", seed)
                .isEmpty();
        assertThat(counts.keySet()).contains("send", "delete", "checkpoint", "restart");
        assertThat(counts.getOrDefault("woken", 0) > 0).isEqualTo(elsewhere);
    }

    /** As the preparer would, now and then, and never in the middle of a pass. */
    private void writeElsewhere(ViewWorld<ConsumeQueueView> world, Random random) {
        if (writtenElsewhere != world.view()) {
            writtenElsewhere = world.view();
            writing = world.view().writeElsewhere(() -> counts.merge("woken", 1, Integer::sum));
        } else if (random.nextInt(6) == 0) {
            world.settle();
            writing.step(0);
        }
    }

    private void step(ViewWorld<ConsumeQueueView> world, Random random) throws Exception {
        if (elsewhere) {
            writeElsewhere(world, random);
        }
        int choice = random.nextInt(1000);
        String act;
        if (choice < 940) {
            act = "send";
            send(world, TOPICS[random.nextInt(TOPICS.length)], random.nextInt(3), random);
        } else if (choice < 943) {
            act = "loss";
            lose(world, TOPICS[random.nextInt(TOPICS.length)], random);
        } else if (choice < 955) {
            act = "delete";
            String topic = TOPICS[random.nextInt(TOPICS.length)];
            world.log().append(new TopicDeleted(topic));
            models.remove(topic);
        } else if (choice < 975) {
            act = "checkpoint";
            world.checkpoint();
        } else if (choice < 985) {
            act = "restart";
            world.restart();
        } else if (choice < 987) {
            act = "lost checkpoint";
            world.disk().delete("consumequeue/view.checkpoint");
            world.restart();
        } else if (choice < 990) {
            act = "power";
            world.powerFailure();
        } else if (choice < 995) {
            act = "half a checkpoint";
            world.settle();
            world.loop().requestCheckpoint();
            world.settle();
            for (int left = random.nextInt(4); left > 0 && world.hasPreparerWork(); left--) {
                world.stepPreparer();
            }
            world.restart();
        } else {
            act = "trim";
            trim(world);
        }
        counts.merge(act, 1, Integer::sum);
    }

    private void send(ViewWorld<ConsumeQueueView> world, String topic, int queueId, Random random) {
        Model model = models.computeIfAbsent(topic, t -> new TreeMap<>()).computeIfAbsent(queueId, q -> new Model());
        int burst = 1 + random.nextInt(12);
        for (int i = 0; i < burst; i++) {
            long offset = model.max + (random.nextInt(40) == 0 ? random.nextInt(30) : 0);
            TestFrame frame = TestFrame.of(topic, queueId, offset).body(new byte[random.nextInt(200)]);
            String tag = random.nextBoolean() ? "tag" + random.nextInt(5) : "";
            long at = world.log().append(tag.isEmpty() ? frame : frame.tag(tag));
            model.messages.add(new Message(offset, at, (int) (world.log().end() - at), tag.hashCode()));
            model.max = offset + 1;
        }
    }

    /** A start after a loss raises the end of every queue of a topic. */
    private void lose(ViewWorld<ConsumeQueueView> world, String topic, Random random) {
        Map<Integer, Long> ends = new TreeMap<>();
        models.getOrDefault(topic, Map.of()).forEach((queueId, model) -> {
            model.max += 1 + random.nextInt(200);
            ends.put(queueId, model.max);
        });
        world.log().append(new QueueEnds(topic, ends));
    }

    private void trim(ViewWorld<ConsumeQueueView> world) throws Exception {
        var segments = world.log().log().segments();
        if (segments.size() < 2) {
            return;
        }
        long start = segments.get(1).startOffset();
        world.retain(start);
        models.values().forEach(queues -> queues.values().forEach(model -> model.trim(start)));
    }

    private void check(ViewWorld<ConsumeQueueView> world, String where) {
        ConsumeQueueView view = world.settle();
        assertThat(view.topics()).as(where).isEqualTo(models.keySet());
        if (elsewhere) {
            writing.step(0);
            assertThat(view.hasRoom()).as(where).isTrue();
        }
        assertThat(view.memoryBytes()).as(where).isLessThanOrEqualTo(QueueWorld.SMALL.memoryBytes());
        models.forEach((topic, queues) -> queues.forEach((queueId, model) -> {
            ConsumeQueue queue = Objects.requireNonNull(view.find(topic, queueId), where);
            assertThat(queue.minOffset()).as("%s min of %s", where, queue).isEqualTo(model.min());
            assertThat(queue.maxOffset()).as("%s max of %s", where, queue).isEqualTo(model.max);
            List<Message> seen = new ArrayList<>();
            for (long at = queue.minOffset(); at < model.max; ) {
                at += queue.read(
                        at, 7, (offset, physical, size, tag) -> seen.add(new Message(offset, physical, size, tag)));
            }
            assertThat(seen).as("%s entries of %s", where, queue).isEqualTo(model.messages);
        }));
    }
}
