package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.broker.carry.ViewWorld;
import dev.perigee.broker.carry.ViewWorld.Carried;
import dev.perigee.broker.carry.ViewWorld.Carrying;
import dev.perigee.broker.mark.ClockNote;
import dev.perigee.protocol.fact.HalfRef;
import dev.perigee.protocol.fact.HalvesChecked;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.fact.TimerShifted;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.TestLog;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerViewTest {
    private final WaitingLog all = new WaitingLog();

    @Test
    void aMessageWaitsUntilItsDeliveryIsApplied() {
        long birth = all.waits(5_000);
        all.log.append(all.log.next("other", 0));
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(birth);
        all.delivered(5_000, birth, birth);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        assertThat(all.view.fingerprint()).isEmpty();
    }

    @Test
    void bothWaitingTopicsAreFolded() {
        long level = all.waits(5_000);
        long timed = all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,h00000000000000ff"));
        all.feed();
        assertThat(all.view.fingerprint()).startsWith("2 waiting");
        all.delivered(5_000, level, level);
        all.log.append(all.log.next("T", 0).property("__TIMER#", "6000:" + timed + ":" + timed + ",h00000000000000ff"));
        all.feed();
        assertThat(all.view.fingerprint()).isEmpty();
        assertThat(keysLeft()).as("by due time, place and hash").isZero();
    }

    /** Keys in the store, without the position and the shift. */
    private int keysLeft() {
        int[] count = {0};
        try {
            Objects.requireNonNull(all.view.store()).scan(new byte[] {0}, new byte[] {(byte) 0xFF}, (key, value) -> {
                count[0] += key.length > 1 ? 1 : 0;
                return true;
            });
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return count[0];
    }

    @Test
    void whatWasRecalledIsRememberedAsLongAsItsFactIsInTheLog() {
        long birth = all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,h00000000000000ff"));
        all.feed();
        all.log.append(new TimerClosed(List.of(new TimerRef(6_000, birth, birth, 0xFF)), "recalled", true));
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        assertThat(all.view.fingerprint())
                .startsWith("0 waiting, 1 recalled")
                .isEqualTo(all.rebuilt().fingerprint());
        long end = all.waits(7_000);
        all.feed();
        all.view.trimmed(end);
        all.view.passEnded();
        assertThat(all.view.fingerprint()).startsWith("1 waiting, 0 recalled");
    }

    @Test
    void theShiftOfTheClockIsThatOfTheNewestFirstFrame() throws IOException {
        assertThat(all.view.told().shiftMs()).isZero();
        long first = all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,s-40"));
        all.feed();
        assertThat(all.view.told().shiftMs()).isEqualTo(-40);
        all.waits(7_000);
        all.log.append(
                all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000:" + first + ":" + first + ",s-40"));
        all.feed();
        assertThat(all.view.told().shiftMs()).as("a copy tells of its time").isZero();
        long second =
                all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "8000,h00000000000000ff,s77"));
        all.feed();
        byte[] checkpoint = all.checkpoint();
        all.stores.crash(new Random(0));
        TimerView restored = all.restored(checkpoint);
        assertThat(restored.told().shiftMs()).isEqualTo(77);
        TimerView copiesOnly = new TimerView(new MemoryViewStores());
        long copy = all.log.append(
                all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "8000:" + second + ":" + second + ",s77"));
        all.feed(copiesOnly, copy);
        assertThat(copiesOnly.told().shiftMs()).isEqualTo(77);
    }

    @Test
    void theMarksOfHalvesTellOfTheClockTooForTheyWaitByIt() {
        all.log.append(all.log.next(SystemTopic.HALF, 0).property("__HALF#", "9000,s-40,t5000"));
        all.feed();
        assertThat(all.view.told()).isEqualTo(new ClockNote(-40, 5_000));
        all.log.append(all.log.next(SystemTopic.HALF, 0).property("__HALF#", "9000:0:0:0:0:5000,s7,t8"));
        all.log.append(all.log.next("orders", 0).property("__HALF#", "9000:0:0:c"));
        all.log.append(all.log.next("orders", 0).property("__HALF#", "9000,s1,t2"));
        all.feed();
        assertThat(all.view.told()).as("a copy is older").isEqualTo(new ClockNote(-40, 5_000));
        assertThat(all.view.isEmpty()).isTrue();
        assertThat(all.rebuilt().told()).isEqualTo(new ClockNote(-40, 5_000));
    }

    @Test
    void theMarkOfAHalfThatTellsOfNoClockLeavesWhatWasTold() {
        all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,s-40,t5000"));
        all.log.append(all.log.next(SystemTopic.HALF, 0).property("__HALF#", "9000")); // of a log from before
        all.log.append(all.log.next(SystemTopic.HALF, 0).property("__HALF#", "9000:0:0:0:0"));
        all.log.append(all.log.next(SystemTopic.HALF, 0).property("__HALF#", "9000:0:0:0:1:5000,l6000"));
        all.feed();
        assertThat(all.view.told()).isEqualTo(new ClockNote(-40, 5_000));
        assertThat(all.rebuilt().told()).isEqualTo(new ClockNote(-40, 5_000));
        TimerView ofCopiesOnly = new TimerView(new MemoryViewStores());
        long copies = all.log.append(all.log
                .next(SystemTopic.TIMER, 0)
                .property("__TIMER#", "6000:0:0,s-40,t5000")); // the first frames went
        all.log.append(all.log.next(SystemTopic.HALF, 0).property("__HALF#", "9000:0:0:0:0:5000"));
        all.feed(ofCopiesOnly, copies);
        assertThat(ofCopiesOnly.told()).isEqualTo(new ClockNote(-40, 5_000));
    }

    @Test
    void theLogTellsWhatTheClockOfWaitingMessagesSaid() throws IOException {
        all.log.append(new TimerShifted(-3_600_000, 4_000));
        all.feed();
        assertThat(all.view.told()).isEqualTo(new ClockNote(-3_600_000, 4_000));
        long birth = all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,s-40,t5000"));
        all.feed();
        assertThat(all.view.told().shiftMs()).isEqualTo(-40);
        assertThat(all.view.told().timerMs()).isEqualTo(5_000);
        all.log.append(new TimerShifted(77, 5_500));
        Carrying round = new Carrying();
        all.feed();
        all.view.carryForward(all.log.end(), round);
        all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", markOf(round.frames.get(0))));
        all.feed();
        assertThat(all.view.told().shiftMs()).isEqualTo(77);
        assertThat(all.view.told().timerMs()).isEqualTo(5_500);
        byte[] checkpoint = all.checkpoint();
        all.stores.crash(new Random(0));
        TimerView restored = all.restored(checkpoint);
        assertThat(restored.told().shiftMs()).isEqualTo(77);
        assertThat(restored.told().timerMs()).isEqualTo(5_500);
        assertThat(all.rebuilt().told().timerMs()).isEqualTo(5_500);
        assertThat(markOf(round.frames.get(0))).isEqualTo("6000:" + birth + ":" + birth + ",s77,t5500");
    }

    /** Its next check is as far ahead of that time as the interval is long: a wall clock that fell back meanwhile must not hold it up. */
    @Test
    void aCheckOfHalvesTellsWhatTheClockSaid() {
        all.log.append(new TimerShifted(77, 5_500));
        HalfRef half = new HalfRef(0, 0, 100, 0, 6_000, 0, 0, 0);
        all.log.append(new HalvesChecked(List.of(half), 39_000, true, 9_000));
        all.feed();
        assertThat(all.view.told()).isEqualTo(new ClockNote(77, 9_000));
        all.log.append(new HalvesChecked(List.of(half), 39_000, true, 0)); // of a log from before that was told
        all.feed();
        assertThat(all.view.told()).isEqualTo(new ClockNote(77, 9_000));
    }

    /** The mark of the copy that retention would make. */
    private String markOf(Carried carried) {
        return Objects.requireNonNull(all.copyOf(carried).property("__TIMER#"));
    }

    @Test
    void theFingerprintTellsOfEveryEntry() throws IOException {
        all.log.append(all.log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,h00000000000000ff"));
        all.feed();
        LogPosition end = new LogPosition(TestLog.LOG_ID, 1, all.log.end());
        ViewStore store = Objects.requireNonNull(all.view.store());
        WaitingMessage other = new WaitingMessage(6_000, 77, 78, 79, 0xFF);
        for (byte[] key : List.of(
                TimerKeys.due(6_000, 77),
                TimerKeys.place(78),
                TimerKeys.named(0xFF, 77),
                TimerKeys.recalled(0xFF, 77))) {
            String before = all.view.fingerprint();
            store.write(new ViewBatch().put(key, TimerKeys.namedValue(other)), end);
            assertThat(all.view.fingerprint()).as("%c", key[0]).isNotEqualTo(before);
        }
    }

    @Test
    void marksAreReadAsTheyAreWritten() {
        for (TimerMark mark : List.of(
                new TimerMark(5, TimerMark.HERE, TimerMark.HERE, 0),
                new TimerMark(5, TimerMark.HERE, TimerMark.HERE, -1),
                new TimerMark(Long.MAX_VALUE, TimerMark.HERE, TimerMark.HERE, 1, Long.MIN_VALUE, 9),
                new TimerMark(5, 6, 7, 0, 8, -9),
                new TimerMark(
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        Long.MAX_VALUE,
                        1L << 63,
                        Long.MIN_VALUE,
                        Long.MIN_VALUE + 1))) {
            assertThat(TimerMark.parse(mark.text())).isEqualTo(mark);
        }
        String shortest = new TimerMark(Long.MAX_VALUE, TimerMark.HERE, TimerMark.HERE, 0).text();
        String longest = new TimerMark(
                        Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE, 0, Long.MIN_VALUE, Long.MIN_VALUE + 1)
                .text();
        assertThat(longest.length() - shortest.length()).isEqualTo(TimerMark.GROWTH_BYTES);
        assertThat(TimerMark.parse("5:6:7")).isEqualTo(new TimerMark(5, 6, 7, 0));
        assertThat(TimerMark.parse("5,x9,"))
                .as("what a later release may say")
                .isEqualTo(new TimerMark(5, TimerMark.HERE, TimerMark.HERE, 0));
        for (String none : List.of("", "5,hxyz", "5,s", "5,t", "5,tx", "5:6", "5:6:7:8", "-1", "5:-6:7")) {
            assertThat(TimerMark.parse(none)).as(none).isNull();
        }
    }

    @Test
    void closingWhatIsNotKnownDoesNothing() {
        all.delivered(5_000, 77, 77);
        all.log.append(TimerClosed.lost(List.of(new TimerRef(1, 2, 3, 0)), "gone"));
        all.feed();
        long birth = all.waits(5_000);
        all.feed();
        all.delivered(5_000, birth + 1, birth + 1);
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(birth);
    }

    @Test
    void aClosingFactEndsTheWaiting() {
        long first = all.waits(5_000);
        long second = all.waits(6_000);
        all.feed();
        all.log.append(TimerClosed.lost(List.of(new TimerRef(5_000, first, first, 0)), "its topic is gone"));
        all.feed();
        assertThat(all.view.firstLiveOffset()).isEqualTo(second);
    }

    @Test
    void marksThatAreNoneAreIgnored() {
        all.log.append(all.log.next("user", 0).property("__TIMER#", "tomorrow"));
        all.log.append(all.log.next("user", 0).property("__TIMER#", "5"));
        all.log.append(all.log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", "1:2"));
        all.log.append(all.log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", "-1"));
        all.feed();
        assertThat(all.view.fingerprint()).isEmpty();
        assertThat(all.stores.exists(TimerView.NAME))
                .as("a store is opened with the first waiting message")
                .isFalse();
    }

    @Test
    void aCheckpointOfAnotherVersionIsRefusedSoThatTheViewIsRebuilt() throws IOException {
        all.waits(5_000);
        all.feed();
        byte[] checkpoint = all.checkpoint();
        ByteBuffer.wrap(checkpoint).putInt(0, 1);
        assertThatThrownBy(() -> all.restored(checkpoint))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 1");
    }

    @Test
    void aRestartGoesOnFromThePlaceOfTheStore() throws IOException {
        long birth = all.waits(5_000);
        all.feed();
        byte[] checkpoint = all.checkpoint();
        all.waits(6_000);
        all.feed(); // written, not flushed
        all.stores.crash(new Random(0));
        TimerView restored = all.restored(checkpoint);
        LogPosition own = restored.ownPosition().orElseThrow();
        assertThat(own.offset()).isGreaterThan(birth);
        all.feed(restored, own.offset());
        assertThat(restored.fingerprint())
                .isEqualTo(all.rebuilt().fingerprint())
                .startsWith("2 waiting");
    }

    @Test
    void aCheckpointWhoseStoreIsGoneIsRefused() throws IOException {
        all.waits(5_000);
        all.feed();
        byte[] checkpoint = all.checkpoint();
        TimerView elsewhere = new TimerView(new MemoryViewStores());
        assertThatThrownBy(() -> ViewWorld.restored(elsewhere, checkpoint))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gone");
        elsewhere.forget();
        all.feed(elsewhere, 0);
        assertThat(elsewhere.fingerprint()).isEqualTo(all.view.fingerprint());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aViewThatLivedThroughItAllIsEqualToOneRebuilt(long seed) throws IOException {
        Random random = new Random(seed);
        List<long[]> pending = new ArrayList<>(); // due, birth, offset
        byte[] checkpoint = null;
        for (int step = 0; step < 400; step++) {
            int choice = random.nextInt(10);
            if (choice < 4 || pending.isEmpty()) {
                long dueMs = random.nextInt(60_000);
                long birth = all.waits(dueMs);
                pending.add(new long[] {dueMs, birth, birth});
            } else if (choice < 7) {
                long[] one = pending.remove(random.nextInt(pending.size()));
                all.delivered(one[0], one[1], one[2]);
            } else if (choice == 7) {
                long[] one = pending.get(random.nextInt(pending.size()));
                one[2] = all.copied(one[0], one[1], one[2]);
            } else if (choice == 8) {
                all.feed();
                checkpoint = all.checkpoint();
            } else if (checkpoint != null) {
                all.feed();
                all.stores.crash(random);
                all.view = all.restored(checkpoint);
                all.fed = all.view.ownPosition().map(LogPosition::offset).orElse(all.fed);
            }
            if (random.nextInt(3) == 0) {
                all.feed();
            }
        }
        all.feed();
        long first = pending.stream().mapToLong(one -> one[2]).min().orElse(Long.MAX_VALUE);
        assertThat(all.view.firstLiveOffset()).as("seed %s", seed).isEqualTo(first);
        assertThat(all.view.fingerprint())
                .as("seed %s", seed)
                .isEqualTo(all.rebuilt().fingerprint());
    }
}
