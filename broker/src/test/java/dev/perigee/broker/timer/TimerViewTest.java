package dev.perigee.broker.timer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.fact.TimerClosed.TimerRef;
import dev.perigee.protocol.fact.TimerShifted;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.kv.KeyVisitor;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.kv.ViewBatch;
import dev.perigee.store.kv.ViewStore;
import dev.perigee.store.kv.ViewStores;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.SegmentLease;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogPosition;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.TestLog;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TimerViewTest {
    private static final int SEGMENT_BYTES = 1 << 20;

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final TestLog log = new TestLog(disk, SEGMENT_BYTES);
    private final MemoryViewStores stores = new MemoryViewStores();
    private TimerView view = new TimerView(stores);
    private long fed;

    /** What a view hands out to be carried. */
    private record Carried(long offset, LogView.FrameCopy copy) {}

    private static final class Carrying implements LogView.CarrySink {
        final List<Carried> frames = new ArrayList<>();

        @Override
        public void fact(Fact fact) {
            throw new AssertionError("a fact: " + fact);
        }

        @Override
        public void frame(long offset, LogView.FrameCopy copy) {
            frames.add(new Carried(offset, copy));
        }
    }

    private long waits(long dueMs) {
        return log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", Long.toString(dueMs)));
    }

    private long copied(long dueMs, long birth, long readAt) {
        return log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", dueMs + ":" + birth + ":" + readAt));
    }

    private void delivered(long dueMs, long birth, long readAt) {
        log.append(log.next("%RETRY%g", 0).property("__TIMER#", dueMs + ":" + birth + ":" + readAt));
    }

    /** Applies what is new in the log, as one pass. */
    private void feed() {
        fed = feed(view, fed);
    }

    private long feed(TimerView fedView, long from) {
        LogReader reader = new LogReader(log.log(), from);
        LogEntry entry = new LogEntry();
        try {
            while (reader.next()) {
                fedView.apply(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        fedView.reached(new LogPosition(TestLog.LOG_ID, 1, reader.position()));
        fedView.passEnded();
        return reader.position();
    }

    @Test
    void aMessageWaitsUntilItsDeliveryIsApplied() {
        long birth = waits(5_000);
        log.append(log.next("other", 0));
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(birth);
        delivered(5_000, birth, birth);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        assertThat(view.fingerprint()).isEmpty();
    }

    @Test
    void bothWaitingTopicsAreFolded() {
        long level = waits(5_000);
        long timed = log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,h00000000000000ff"));
        feed();
        assertThat(view.fingerprint()).startsWith("2 waiting");
        delivered(5_000, level, level);
        log.append(log.next("T", 0).property("__TIMER#", "6000:" + timed + ":" + timed + ",h00000000000000ff"));
        feed();
        assertThat(view.fingerprint()).isEmpty();
        assertThat(keysLeft()).as("by due time, place and hash").isZero();
    }

    /** Keys in the store, without the position and the shift. */
    private int keysLeft() {
        int[] count = {0};
        try {
            Objects.requireNonNull(view.store()).scan(new byte[] {0}, new byte[] {(byte) 0xFF}, (key, value) -> {
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
        long birth = log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,h00000000000000ff"));
        feed();
        log.append(new TimerClosed(List.of(new TimerRef(6_000, birth, birth, 0xFF)), "recalled", true));
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        assertThat(view.fingerprint())
                .startsWith("0 waiting, 1 recalled")
                .isEqualTo(rebuilt().fingerprint());
        long end = waits(7_000);
        feed();
        view.trimmed(end);
        view.passEnded();
        assertThat(view.fingerprint()).startsWith("1 waiting, 0 recalled");
    }

    @Test
    void theShiftOfTheClockIsThatOfTheNewestFirstFrame() throws IOException {
        assertThat(view.shiftMs()).isZero();
        long first = log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,s-40"));
        feed();
        assertThat(view.shiftMs()).isEqualTo(-40);
        waits(7_000);
        log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000:" + first + ":" + first + ",s-40"));
        feed();
        assertThat(view.shiftMs()).as("a copy tells of its time").isZero();
        long second = log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", "8000,h00000000000000ff,s77"));
        feed();
        byte[] checkpoint = checkpoint().toByteArray();
        stores.crash(new Random(0));
        TimerView restored = new TimerView(stores);
        restored.restore(new DataInputStream(new ByteArrayInputStream(checkpoint)));
        assertThat(restored.shiftMs()).isEqualTo(77);
        TimerView copiesOnly = new TimerView(new MemoryViewStores());
        long copy = log.append(
                log.next(SystemTopic.TIMER, 0).property("__TIMER#", "8000:" + second + ":" + second + ",s77"));
        feed(copiesOnly, copy);
        assertThat(copiesOnly.shiftMs()).isEqualTo(77);
    }

    @Test
    void theLogTellsWhatTheClockOfWaitingMessagesSaid() throws IOException {
        log.append(new TimerShifted(-3_600_000, 4_000));
        feed();
        assertThat(view.shiftMs()).as("nothing waits").isZero();
        assertThat(view.toldMs()).isEqualTo(Long.MIN_VALUE);
        long birth = log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,s-40,t5000"));
        feed();
        assertThat(view.shiftMs()).isEqualTo(-40);
        assertThat(view.toldMs()).isEqualTo(5_000);
        log.append(new TimerShifted(77, 5_500));
        Carrying round = new Carrying();
        feed();
        view.carryForward(log.end(), round);
        log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", markOf(round.frames.get(0))));
        feed();
        assertThat(view.shiftMs()).isEqualTo(77);
        assertThat(view.toldMs()).isEqualTo(5_500);
        byte[] checkpoint = checkpoint().toByteArray();
        stores.crash(new Random(0));
        TimerView restored = new TimerView(stores);
        restored.restore(new DataInputStream(new ByteArrayInputStream(checkpoint)));
        assertThat(restored.shiftMs()).isEqualTo(77);
        assertThat(restored.toldMs()).isEqualTo(5_500);
        assertThat(rebuilt().toldMs()).isEqualTo(5_500);
        assertThat(markOf(round.frames.get(0))).isEqualTo("6000:" + birth + ":" + birth + ",s77,t5500");
    }

    /** The mark of the copy that retention would make. */
    private String markOf(Carried carried) {
        SegmentLease lease = Objects.requireNonNull(log.log().lease(carried.offset(), MessageFrame.MIN_BYTES));
        int sizeBytes = lease.bytes().getInt(0);
        lease.release();
        SegmentLease whole = Objects.requireNonNull(log.log().lease(carried.offset(), sizeBytes));
        var draft = carried.copy().of(new MessageFrame().wrap(whole.bytes(), 0));
        ByteBuffer bytes = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(bytes);
        whole.release();
        return Objects.requireNonNull(new MessageFrame().wrap(bytes, 0).property("__TIMER#"));
    }

    @Test
    void theFingerprintTellsOfEveryEntry() throws IOException {
        log.append(log.next(SystemTopic.TIMER, 0).property("__TIMER#", "6000,h00000000000000ff"));
        feed();
        LogPosition end = new LogPosition(TestLog.LOG_ID, 1, log.end());
        ViewStore store = Objects.requireNonNull(view.store());
        WaitingMessage other = new WaitingMessage(6_000, 77, 78, 79, 0xFF);
        for (byte[] key : List.of(
                TimerKeys.due(6_000, 77),
                TimerKeys.place(78),
                TimerKeys.named(0xFF, 77),
                TimerKeys.recalled(0xFF, 77))) {
            String before = view.fingerprint();
            store.write(new ViewBatch().put(key, TimerKeys.namedValue(other)), end);
            assertThat(view.fingerprint()).as("%c", key[0]).isNotEqualTo(before);
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
        delivered(5_000, 77, 77);
        log.append(TimerClosed.lost(List.of(new TimerRef(1, 2, 3, 0)), "gone"));
        feed();
        long birth = waits(5_000);
        feed();
        delivered(5_000, birth + 1, birth + 1);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(birth);
    }

    @Test
    void aClosingFactEndsTheWaiting() {
        long first = waits(5_000);
        long second = waits(6_000);
        feed();
        log.append(TimerClosed.lost(List.of(new TimerRef(5_000, first, first, 0)), "its topic is gone"));
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(second);
    }

    @Test
    void marksThatAreNoneAreIgnored() {
        log.append(log.next("user", 0).property("__TIMER#", "tomorrow"));
        log.append(log.next("user", 0).property("__TIMER#", "5"));
        log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", "1:2"));
        log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", "-1"));
        feed();
        assertThat(view.fingerprint()).isEmpty();
        assertThat(stores.exists(TimerView.NAME))
                .as("a store is opened with the first waiting message")
                .isFalse();
    }

    @Test
    void aCopyTakesThePlaceOfItsFrameAndKeepsItsBirth() {
        long birth = waits(5_000);
        feed();
        long copy = copied(5_000, birth, birth);
        long copyOfCopy = copied(5_000, birth, copy);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(copyOfCopy);
        delivered(5_000, birth, copyOfCopy);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void whatIsCarriedIsClaimedUntilTheCopyIsAppliedOrFailed() {
        long first = waits(7_200_000);
        long second = waits(5_000);
        long third = waits(6_000);
        feed();
        Carrying round = new Carrying();
        view.carryForward(third, round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(first, second);
        assertThat(view.window().isClaimed(first)).isTrue();
        assertThat(view.window().isClaimed(third)).isFalse();
        Carrying again = new Carrying();
        view.carryForward(third, again);
        assertThat(again.frames).isEmpty();

        round.frames.get(1).copy().failed();
        view.carryForward(third, again);
        assertThat(again.frames).extracting(Carried::offset).containsExactly(second);

        append(round.frames.get(0));
        feed();
        assertThat(view.window().isClaimed(first)).isFalse();
        assertThat(view.firstLiveOffset()).isEqualTo(second);
        append(again.frames.get(0));
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(third);
    }

    /** Appends a copy as retention would: with the mark it was given. */
    private void append(Carried carried) {
        SegmentLease lease = Objects.requireNonNull(log.log().lease(carried.offset(), MessageFrame.MIN_BYTES));
        int sizeBytes = lease.bytes().getInt(0);
        lease.release();
        SegmentLease whole = Objects.requireNonNull(log.log().lease(carried.offset(), sizeBytes));
        var draft = carried.copy().of(new MessageFrame().wrap(whole.bytes(), 0));
        ByteBuffer bytes = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(bytes);
        whole.release();
        MessageFrame copy = new MessageFrame().wrap(bytes, 0);
        assertThat(copy.topic()).isEqualTo(SystemTopic.SCHEDULE);
        log.append(log.next(copy.topic(), copy.queueId())
                .property("__TIMER#", Objects.requireNonNull(copy.property("__TIMER#"))));
    }

    @Test
    void aCarriedMessageKeepsItsSizeWithoutALookForIt() {
        long birth = waits(5_000);
        TimerView walked = new TimerView(new WalkedOnly());
        feed(walked, 0);
        assertThat(walked.window().beginScan(0))
                .as("so that it is held in memory")
                .isNotNull();
        Carrying round = new Carrying();
        walked.carryForward(log.end(), round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(birth);
        round.frames.get(0).copy().failed();
        WaitingMessage next = Objects.requireNonNull(walked.window().next(5_000, 0));
        assertThat(next.birth).isEqualTo(birth);
        assertThat(next.sizeBytes()).isEqualTo((int) (log.end() - birth));
    }

    /** Stores in which nobody may look for a single key; nor walk, once they are shut. */
    private static final class WalkedOnly implements ViewStores {
        private boolean shut;

        @Override
        public ViewStore open(String name) throws IOException {
            ViewStore real = new MemoryViewStores().open(name);
            return new ViewStore() {
                @Override
                public Optional<LogPosition> position() {
                    return real.position();
                }

                @Override
                public void write(ViewBatch batch, LogPosition reached) throws IOException {
                    real.write(batch, reached);
                }

                @Override
                public Optional<byte[]> get(byte[] key) {
                    throw new AssertionError("a look for one key");
                }

                @Override
                public void scan(byte[] from, byte[] to, KeyVisitor visitor) throws IOException {
                    assertThat(shut).as("shut for walks").isFalse();
                    real.scan(from, to, visitor);
                }

                @Override
                public void flush() throws IOException {
                    real.flush();
                }

                @Override
                public void destroy() throws IOException {
                    real.destroy();
                }

                @Override
                public void close() throws IOException {
                    real.close();
                }
            };
        }

        @Override
        public boolean exists(String name) {
            return false;
        }

        @Override
        public void remove(String name) {}
    }

    private static void finish(PacedTask task) throws IOException {
        while (task.step()) {
            // to its end
        }
    }

    @Test
    void whatWasGatheredAheadIsCarriedWithoutAnotherWalkOverTheStore() throws IOException {
        WalkedOnly only = new WalkedOnly();
        view = new TimerView(only);
        long first = waits(7_200_000);
        long second = waits(5_000);
        long third = waits(6_000);
        long fourth = waits(6_000);
        feed();
        finish(view.lookAhead(fourth));
        only.shut = true;
        delivered(5_000, second, second);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(first);
        Carrying round = new Carrying();
        view.carryForward(fourth, round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(first, third);
        append(round.frames.get(0));
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(third);
        round.frames.get(1).copy().failed();
        Carrying again = new Carrying();
        view.carryForward(fourth, again);
        assertThat(again.frames).extracting(Carried::offset).containsExactly(third);
        append(again.frames.get(0));
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(fourth);
    }

    @Test
    void whereTooMuchLeftMeanwhileItIsGatheredAnewAndTheStoreIsNotWalkedOver() throws IOException {
        WalkedOnly only = new WalkedOnly();
        view = new TimerView(only, new TimerWindow(), 2);
        List<Long> births = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            births.add(waits(5_000));
        }
        long cut = log.end();
        for (int i = 0; i < 5; i++) {
            births.add(waits(5_000));
        }
        feed();
        finish(view.lookAhead(cut));
        only.shut = true;
        births.subList(5, 10).forEach(birth -> delivered(5_000, birth, birth));
        births.subList(0, 2).forEach(birth -> delivered(5_000, birth, birth));
        feed();
        assertThat(view.firstLiveOffset())
                .as("two below the cut are remembered, and none above it")
                .isEqualTo(births.get(2));
        delivered(5_000, births.get(2), births.get(2));
        feed();
        assertThat(view.firstLiveOffset()).as("no further than was known").isEqualTo(births.get(2));
        Carrying round = new Carrying();
        view.carryForward(cut, round);
        assertThat(round.frames).isEmpty();
        only.shut = false;
        finish(view.lookAhead(cut));
        only.shut = true;
        assertThat(view.firstLiveOffset()).isEqualTo(births.get(3));
        view.carryForward(cut, round);
        assertThat(round.frames).extracting(Carried::offset).containsExactly(births.get(3), births.get(4));
    }

    @Test
    void whatIsDeliveredWhileItIsGatheredIsNotCarried() throws IOException {
        long first = waits(5_000);
        long second = waits(6_000);
        feed();
        PacedTask gathering = view.lookAhead(log.end());
        delivered(5_000, first, first);
        feed();
        finish(gathering);
        delivered(6_000, second, second);
        feed();
        Carrying round = new Carrying();
        view.carryForward(log.end(), round);
        assertThat(round.frames).isEmpty();
    }

    @Test
    void moreThanOneRoundTakesIsCarriedInTurns() throws IOException {
        int count = TimerView.MAX_CARRIED + 88;
        for (int i = 0; i < count; i++) {
            waits(5_000_000 + i);
        }
        long below = log.end();
        feed();
        finish(view.lookAhead(below));
        Carrying round = new Carrying();
        view.carryForward(below, round);
        assertThat(round.frames).hasSize(TimerView.MAX_CARRIED);
        view.carryForward(below, round);
        assertThat(round.frames).hasSize(count);
        round.frames.forEach(this::append);
        feed();
        assertThat(view.firstLiveOffset()).isGreaterThanOrEqualTo(below);
        assertThat(view.fingerprint())
                .startsWith(count + " waiting")
                .isEqualTo(rebuilt().fingerprint());
    }

    @Test
    void aFrameThatIsLostIsClosedByName() {
        long birth = waits(5_000);
        long copy = copied(5_000, birth, birth);
        feed();
        Carrying round = new Carrying();
        view.carryForward(log.end(), round);
        Fact closing = round.frames.get(0).copy().lost();
        assertThat(closing)
                .isEqualTo(TimerClosed.lost(List.of(new TimerRef(5_000, birth, copy, 0)), "its frame is damaged"));
        assertThat(view.window().isClaimed(birth)).as("until that is applied").isTrue();
        log.append(closing);
        feed();
        assertThat(view.window().isClaimed(birth)).isFalse();
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aWalkDoesNotBeginBelowWhatIsStillThere() throws IOException {
        long first = waits(5_000);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(first);
        delivered(5_000, first, first);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
        long second = waits(6_000);
        feed();
        assertThat(view.firstLiveOffset()).isEqualTo(second);
        byte[] checkpoint = checkpoint().toByteArray();
        stores.crash(new Random(0));
        TimerView restored = new TimerView(stores);
        restored.restore(new DataInputStream(new ByteArrayInputStream(checkpoint)));
        assertThat(restored.firstLiveOffset()).isEqualTo(second);
    }

    @Test
    void aCheckpointOfAnotherVersionIsRefusedSoThatTheViewIsRebuilt() throws IOException {
        waits(5_000);
        feed();
        byte[] checkpoint = checkpoint().toByteArray();
        ByteBuffer.wrap(checkpoint).putInt(0, 1);
        TimerView other = new TimerView(stores);
        assertThatThrownBy(() -> other.restore(new DataInputStream(new ByteArrayInputStream(checkpoint))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("version 1");
    }

    @Test
    void whatLiesBelowALogCutByHandIsForgotten() {
        waits(5_000);
        long second = waits(6_000);
        feed();
        view.trimmed(second);
        view.passEnded();
        assertThat(view.firstLiveOffset()).isEqualTo(second);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCopyThatIsFoldedInWithTheTrimThatItWasMadeForStillWaits(boolean afterARestart) throws IOException {
        long birth = waits(5_000);
        feed();
        if (afterARestart) {
            byte[] checkpoint = checkpoint().toByteArray();
            stores.crash(new Random(0));
            view = new TimerView(stores);
            view.restore(new DataInputStream(new ByteArrayInputStream(checkpoint)));
        }
        long copy = copied(5_000, birth, birth);
        LogReader reader = new LogReader(log.log(), fed);
        LogEntry entry = new LogEntry();
        while (reader.next()) {
            view.apply(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
        }
        view.trimmed(copy);
        view.reached(new LogPosition(TestLog.LOG_ID, 1, reader.position()));
        view.passEnded();
        assertThat(view.fingerprint()).startsWith("1 waiting");
        assertThat(view.firstLiveOffset()).isEqualTo(copy);
    }

    @Test
    void aRestartGoesOnFromThePlaceOfTheStore() throws IOException {
        long birth = waits(5_000);
        feed();
        ByteArrayOutputStream checkpoint = checkpoint();
        waits(6_000);
        feed(); // written, not flushed
        stores.crash(new Random(0));
        TimerView restored = new TimerView(stores);
        restored.restore(new DataInputStream(new ByteArrayInputStream(checkpoint.toByteArray())));
        LogPosition own = restored.ownPosition().orElseThrow();
        assertThat(own.offset()).isGreaterThan(birth);
        feed(restored, own.offset());
        assertThat(restored.fingerprint()).isEqualTo(rebuilt().fingerprint()).startsWith("2 waiting");
    }

    private ByteArrayOutputStream checkpoint() throws IOException {
        var image = view.freeze();
        while (image.forceSome(disk)) {
            // to its end
        }
        ByteArrayOutputStream checkpoint = new ByteArrayOutputStream();
        image.write(new DataOutputStream(checkpoint));
        return checkpoint;
    }

    private TimerView rebuilt() {
        TimerView rebuilt = new TimerView(new MemoryViewStores());
        feed(rebuilt, 0);
        return rebuilt;
    }

    @Test
    void aCheckpointWhoseStoreIsGoneIsRefused() throws IOException {
        waits(5_000);
        feed();
        byte[] checkpoint = checkpoint().toByteArray();
        TimerView elsewhere = new TimerView(new MemoryViewStores());
        assertThatThrownBy(() -> elsewhere.restore(new DataInputStream(new ByteArrayInputStream(checkpoint))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gone");
        elsewhere.forget();
        feed(elsewhere, 0);
        assertThat(elsewhere.fingerprint()).isEqualTo(view.fingerprint());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aViewThatLivedThroughItAllIsEqualToOneRebuilt(long seed) throws IOException {
        Random random = new Random(seed);
        List<long[]> pending = new ArrayList<>(); // due, birth, offset
        ByteArrayOutputStream checkpoint = null;
        for (int step = 0; step < 400; step++) {
            int choice = random.nextInt(10);
            if (choice < 4 || pending.isEmpty()) {
                long dueMs = random.nextInt(60_000);
                long birth = waits(dueMs);
                pending.add(new long[] {dueMs, birth, birth});
            } else if (choice < 7) {
                long[] one = pending.remove(random.nextInt(pending.size()));
                delivered(one[0], one[1], one[2]);
            } else if (choice == 7) {
                long[] one = pending.get(random.nextInt(pending.size()));
                one[2] = copied(one[0], one[1], one[2]);
            } else if (choice == 8) {
                feed();
                checkpoint = checkpoint();
            } else if (checkpoint != null) {
                feed();
                stores.crash(random);
                view = new TimerView(stores);
                view.restore(new DataInputStream(new ByteArrayInputStream(checkpoint.toByteArray())));
                fed = view.ownPosition().map(LogPosition::offset).orElse(fed);
            }
            if (random.nextInt(3) == 0) {
                feed();
            }
        }
        feed();
        long first = pending.stream().mapToLong(one -> one[2]).min().orElse(Long.MAX_VALUE);
        assertThat(view.firstLiveOffset()).as("seed %s", seed).isEqualTo(first);
        assertThat(view.fingerprint()).as("seed %s", seed).isEqualTo(rebuilt().fingerprint());
    }
}
