package dev.perigee.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.SteppedStore.Acknowledged;
import dev.perigee.store.append.Appender;
import dev.perigee.store.queue.ConsumeQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A start is no safe time to be killed either: whichever call of the disk is the last one, the next start finds everything that was
 * acknowledged, in the log, the queue and the index.
 */
class KilledStartTest {
    /** More than the checkpoint's interval. */
    private static final long CHECKPOINT_MS = 61_000;
    /** What a start does after recovery: new segments, first files of queues. */
    private static final long FIRST_STEPS_MS = 400;

    private static final int FEWEST_CALLS = 10;
    private static final int SEEDS = 5;

    /** What ends a start. */
    enum End {
        /** What was written is there. */
        KILL,
        /** Of what was never forced anything may be missing. */
        POWER_LOSS
    }

    @ParameterizedTest
    @EnumSource
    void nothingAcknowledgedIsLostHoweverOftenTheStartIsKilled(End end) {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                new Life(seed).run(end);
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** A store that is filled, and started until nobody kills it. */
    private static final class Life {
        private final SteppedStore world;

        Life(int seed) {
            world = new SteppedStore(seed);
        }

        void run(End end) throws IOException {
            fill();
            end(end);

            int calls = 0;
            Store started = start(calls);
            while (started == null) {
                end(end);
                started = start(++calls);
            }

            world.dying.liveAgain();
            assertThat(calls).as("calls of the disk in a start").isGreaterThan(FEWEST_CALLS);
            check(started);
            world.send(started.newAppender(), 10);
            world.run(started, 1_000);
            started.close();
            try (Store again = world.open()) {
                check(again);
            }
            assertThat(world.faults).isEmpty();
        }

        /** Several segments, a checkpoint among them, and at the end what nobody has flushed. */
        private void fill() throws IOException {
            Store store = world.open();
            Appender appender = store.newAppender();
            sendSlowly(store, appender, 15);
            world.run(store, CHECKPOINT_MS);
            sendSlowly(store, appender, 15);
            world.send(appender, 10);
            world.stepLog(store);
            assertThat(store.log().endOffset()).as("several segments").isGreaterThan(3L * SteppedStore.SEGMENT_BYTES);
            assertThat(store.log().endOffset())
                    .as("an unflushed tail")
                    .isGreaterThan(store.log().confirmOffset());
        }

        private void sendSlowly(Store store, Appender appender, int times) {
            for (int i = 0; i < times; i++) {
                world.send(appender, 10);
                world.run(store, 60);
            }
        }

        private void end(End how) {
            if (how == End.KILL) {
                world.disk.kill();
            } else {
                world.disk.crash();
            }
            world.dying.liveAgain();
            world.faults.clear();
        }

        /** Null when it was killed. */
        private @Nullable Store start(int calls) {
            world.dying.killAfter(calls);
            Store store;
            try {
                store = world.open();
                world.run(store, FIRST_STEPS_MS);
            } catch (IOException | UncheckedIOException e) {
                assertThat(world.dying.isDead())
                        .as("start with %s calls: %s", calls, e)
                        .isTrue();
                return null;
            }
            return world.dying.isDead() ? null : store;
        }

        private void check(Store store) throws IOException {
            Map<Long, String> frames = SteppedStore.frames(store, store.log().startOffset());
            Map<Long, Long> places = new HashMap<>();
            ConsumeQueue queue = Objects.requireNonNull(store.queues().find(SteppedStore.TOPIC, 0));
            for (long at = 0; at < queue.maxOffset(); ) {
                at += queue.read(at, 10_000, (offset, physical, size, tag) -> {
                    places.put(offset, physical);
                    return true;
                });
            }
            for (Acknowledged message : world.acknowledged()) {
                assertThat(frames.get(message.physicalOffset())).isEqualTo(message.body());
                assertThat(places).containsEntry(message.queueOffset(), message.physicalOffset());
                assertThat(store.keyIndex()
                                .orElseThrow()
                                .query(SteppedStore.TOPIC, SteppedStore.keyOf(message), 64, 0, Long.MAX_VALUE))
                        .containsExactly(message.physicalOffset());
            }
            assertThat(world.acknowledged()).hasSizeGreaterThanOrEqualTo(300);
        }
    }
}
