package dev.perigee.store.index;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.block.BlockWriter;
import dev.perigee.store.log.Preparer.StandingTask;
import dev.perigee.store.view.TestFrame;
import dev.perigee.store.view.ViewWorld;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random keys, trims, checkpoints and restarts against a plain list. */
class KeyIndexPropertyTest {
    private static final int STEPS = 500;
    private static final String[] TOPICS = {"AaTopic", "BBTopic", "x"};
    private static final String[] KEYS = {"Aa", "BB", "AaAa", "BBBB", "AaBB", "k1", "k2", "ключ", "long-key-".repeat(9)
    };

    private record Stored(long offset, long timeMs, String topic, Set<String> keys) {}

    private final List<Stored> model = new ArrayList<>();
    private boolean elsewhere;
    private int woken;
    private @Nullable KeyIndexView writtenElsewhere;
    private StandingTask writing = new BlockWriter<>("none", new IndexFile.BlockFiles());

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void indexFindsWhatTheModelFinds(long seed) throws Exception {
        live(seed);
        assertThat(woken).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void itDoesWhenItsFilesAreWrittenElsewhereLater(long seed) throws Exception {
        elsewhere = true;
        live(seed);
        assertThat(woken).isPositive();
    }

    private void live(long seed) throws Exception {
        Random random = new Random(seed);
        ViewWorld<KeyIndexView> world = IndexWorld.open(seed);
        for (int step = 0; step < STEPS; step++) {
            if (elsewhere) {
                writeElsewhere(world, random);
            }
            step(world, random);
            if (random.nextInt(4) == 0) {
                query(world, random, "seed " + seed + " step " + step);
            }
        }
        settle(world);
        assertThat(world.differenceFromRebuilt(disk -> new KeyIndexView(disk, IndexWorld.SMALL, world.frames())))
                .as("rebuild equals live, seed %d", seed)
                .isEmpty();
    }

    /** As the preparer would, now and then, and never in the middle of a pass. */
    private void writeElsewhere(ViewWorld<KeyIndexView> world, Random random) {
        if (writtenElsewhere != world.view()) {
            writtenElsewhere = world.view();
            writing = world.view().writeElsewhere(() -> woken++);
        } else if (random.nextInt(6) == 0) {
            world.settle();
            writing.step(0);
        }
    }

    /** Also when so much waits to be written that the view takes nothing before it is. */
    private KeyIndexView settle(ViewWorld<KeyIndexView> world) {
        while (!world.settle().hasRoom()) {
            writing.step(0);
        }
        return world.view();
    }

    private void step(ViewWorld<KeyIndexView> world, Random random) throws Exception {
        int choice = random.nextInt(1000);
        if (choice < 940) {
            send(world, random);
        } else if (choice < 965) {
            world.checkpoint();
        } else if (choice < 975) {
            world.restart();
        } else if (choice < 980) {
            world.powerFailure();
        } else if (choice < 985) {
            world.disk().delete("index/view.checkpoint");
            world.restart();
        } else if (choice < 992) {
            settle(world);
            world.loop().requestCheckpoint();
            world.settle();
            for (int left = random.nextInt(5); left > 0 && world.hasPreparerWork(); left--) {
                world.stepPreparer();
            }
            world.powerFailure();
        } else if (world.log().log().segments().size() > 1) {
            long start = world.log().log().segments().get(1).startOffset();
            world.retain(start);
            model.removeIf(stored -> stored.offset() < start);
        }
    }

    private void send(ViewWorld<KeyIndexView> world, Random random) {
        for (int i = random.nextInt(10); i >= 0; i--) {
            world.log().nowMs(world.log().nowMs() + random.nextInt(3) * 400L);
            String topic = TOPICS[random.nextInt(TOPICS.length)];
            Set<String> keys = new TreeSet<>();
            TestFrame frame = world.log().next(topic, 0).body(new byte[random.nextInt(300)]);
            if (random.nextBoolean()) {
                String key = KEYS[random.nextInt(KEYS.length)];
                keys.add(key);
                frame.uniqueKey(key);
            }
            List<String> list = new ArrayList<>();
            for (int left = random.nextInt(4); left > 0; left--) {
                list.add(KEYS[random.nextInt(KEYS.length)]);
            }
            if (!list.isEmpty()) {
                frame.keys(String.join(" ", list));
                keys.addAll(list);
            }
            long at = world.log().append(frame);
            model.add(new Stored(at, world.log().nowMs(), topic, keys));
        }
    }

    private void query(ViewWorld<KeyIndexView> world, Random random, String where) {
        String topic = TOPICS[random.nextInt(TOPICS.length)];
        String key = KEYS[random.nextInt(KEYS.length)];
        int max = random.nextInt(40);
        long beginMs = 0;
        long endMs = Long.MAX_VALUE;
        if (!model.isEmpty() && random.nextBoolean()) {
            long a = model.get(random.nextInt(model.size())).timeMs();
            long b = model.get(random.nextInt(model.size())).timeMs();
            beginMs = Math.min(a, b);
            endMs = Math.max(a, b);
        }
        long from = beginMs;
        long to = endMs;
        List<Long> expected = new ArrayList<>(model.stream()
                .filter(stored -> stored.topic().equals(topic) && stored.keys().contains(key))
                .filter(stored -> stored.timeMs() >= from && stored.timeMs() <= to)
                .map(Stored::offset)
                .toList());
        Collections.reverse(expected);
        assertThat(settle(world).query(topic, key, max, beginMs, endMs))
                .as("%s: %d of %s#%s in %d..%d", where, max, topic, key, beginMs, endMs)
                .isEqualTo(expected.subList(0, Math.min(max, expected.size())));
    }
}
