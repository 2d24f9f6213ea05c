package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Whatever happens to the power, what was acknowledged survives, whole and in order. The seed is in every failure text. */
final class CrashPropertyTest {
    private static final int QUEUES = 3;

    @Test
    void acknowledgedUnitsSurviveEveryCrash() {
        forEachSeed(0, 150, seed -> new History(seed, FlushMode.SYNC).run(5));
    }

    @Test
    void asynchronousFlushLosesOnlyATail() {
        forEachSeed(0, 80, seed -> new History(seed, FlushMode.ASYNC).run(5));
    }

    @Tag("full")
    @Test
    void acknowledgedUnitsSurviveEveryCrashOverManySeeds() {
        forEachSeed(1_000, 4_000, seed -> new History(seed, seed % 4 == 0 ? FlushMode.ASYNC : FlushMode.SYNC).run(6));
    }

    private interface OfSeed {
        void run(int seed) throws IOException;
    }

    /** Histories share nothing: each processor runs some. */
    private static void forEachSeed(int from, int to, OfSeed history) {
        IntStream.range(from, to).parallel().forEach(seed -> {
            try {
                history.run(seed);
            } catch (IOException e) {
                throw new UncheckedIOException("seed " + seed, e);
            }
        });
    }

    /** One random life of a log with several ends. */
    private static final class History {
        private final int seed;
        private final FlushMode mode;
        private final Random random;
        private final CrashingDisk disk;
        private final HandClock clock = new HandClock();
        private final LogRig rig;
        private final List<Sent> sent = new ArrayList<>();
        /** Frames that must be there from now on: acknowledged, or seen by a reader. */
        private final Map<Long, StoredFrame> owed = new HashMap<>();

        private int number;

        History(int seed, FlushMode mode) throws IOException {
            this.seed = seed;
            this.mode = mode;
            this.random = new Random(seed);
            this.disk = new CrashingDisk(random);
            this.rig = new LogRig(disk, clock, random, mode);
        }

        void run(int lives) throws IOException {
            for (int life = 0; life < lives; life++) {
                try {
                    live(20 + random.nextInt(150));
                    end();
                    check();
                } catch (IOException | RuntimeException e) {
                    throw new AssertionError("seed " + seed + " life " + life + " " + mode, e);
                }
            }
        }

        private void live(int steps) throws IOException {
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(9)) {
                    case 0, 1, 2 -> send();
                    case 3, 4 -> rig.stepLog();
                    case 5 -> rig.stepFlusher();
                    case 6 -> rig.stepPreparer();
                    case 7 -> trim();
                    default -> clock.pass(random.nextInt(200));
                }
                assertThat(rig.log().confirmOffset())
                        .isLessThanOrEqualTo(rig.log().endOffset());
                if (mode == FlushMode.SYNC) {
                    assertThat(rig.log().confirmOffset())
                            .as("seed %d: readers see only synced bytes", seed)
                            .isLessThanOrEqualTo(rig.log().syncedOffset());
                }
            }
        }

        /** Leaves enough that every queue keeps a message. */
        private void trim() throws IOException {
            rig.log().trimTo(rig.log().confirmOffset() - 3L * LogRig.SEGMENT_BYTES);
        }

        private void send() {
            int frames = random.nextInt(4) == 0 ? 1 + random.nextInt(6) : 1;
            String[] bodies = new String[frames];
            for (int i = 0; i < frames; i++) {
                bodies[i] = number + "." + i + "/" + frames + ":"
                        + "x".repeat(random.nextInt(random.nextInt(6) == 0 ? 9000 : 300));
            }
            number++;
            sent.add(rig.send("topic", random.nextInt(QUEUES), bodies));
        }

        private void end() throws IOException {
            if (mode == FlushMode.SYNC) {
                owe();
            }
            int how = random.nextInt(10);
            if (how == 0) {
                rig.stopClean();
                owe();
                disk.crash();
            } else if (how == 1) {
                disk.kill();
                if (mode == FlushMode.SYNC) {
                    rig.reopen();
                    owe(); // confirmed after the recovery: must survive a power loss too
                    disk.crash();
                }
            } else if (how == 2) {
                disk.failForces(1);
                rig.settle();
                disk.kill();
                rig.reopen();
                owe();
                disk.crash();
            } else {
                disk.crash();
            }
            rig.reopen();
        }

        private boolean trimmed() {
            return rig.log().startOffset() > 0;
        }

        private void owe() throws IOException {
            for (StoredFrame frame : rig.messages()) {
                owed.put(frame.offset(), frame);
            }
        }

        private void check() throws IOException {
            Map<Long, StoredFrame> found = new HashMap<>();
            Map<Integer, Long> next = new HashMap<>();
            Map<String, Integer> framesOfUnit = new HashMap<>();
            for (StoredFrame frame : rig.messages()) {
                found.put(frame.offset(), frame);
                assertThat(frame.queueOffset())
                        .as("seed %d: offsets of queue %d are dense at %d", seed, frame.queueId(), frame.offset())
                        .isEqualTo(next.getOrDefault(frame.queueId(), trimmed() ? frame.queueOffset() : 0L));
                next.put(frame.queueId(), frame.queueOffset() + 1);
                String unit = frame.body().substring(0, frame.body().indexOf('.'))
                        + frame.body()
                                .substring(
                                        frame.body().indexOf('/'), frame.body().indexOf(':'));
                framesOfUnit.merge(unit, 1, Integer::sum);
            }
            owed.keySet().removeIf(offset -> offset < rig.log().startOffset());
            assertThat(found).as("seed %d: what was owed is there", seed).containsAllEntriesOf(owed);
            framesOfUnit.forEach((unit, frames) -> assertThat(frames)
                    .as("seed %d: unit %s is whole", seed, unit)
                    .isEqualTo(Integer.parseInt(unit.substring(unit.indexOf('/') + 1))));
            checkAcknowledged(found);
        }

        private void checkAcknowledged(Map<Long, StoredFrame> found) {
            if (mode == FlushMode.ASYNC) {
                return;
            }
            for (Sent unit : sent) {
                if (unit.result() != AppendResult.APPENDED
                        || unit.request().physicalOffset(0) < rig.log().startOffset()) {
                    continue;
                }
                for (int i = 0; i < unit.bodies().size(); i++) {
                    long offset = unit.request().physicalOffset(i);
                    assertThat(found).as("seed %d: acknowledged frame", seed).containsKey(offset);
                    StoredFrame frame = Objects.requireNonNull(found.get(offset));
                    assertThat(frame.body())
                            .as("seed %d", seed)
                            .isEqualTo(unit.bodies().get(i));
                    assertThat(frame.queueOffset())
                            .as("seed %d", seed)
                            .isEqualTo(unit.request().queueOffset() + i);
                }
            }
        }
    }
}
