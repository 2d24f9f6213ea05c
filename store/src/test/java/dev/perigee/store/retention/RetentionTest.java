package dev.perigee.store.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.EpochStarted;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.fact.TimerClosed;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.property.PropertyKey;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactListener;
import dev.perigee.store.append.FactSink;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.TestFrame;
import dev.perigee.store.view.TestLog;
import dev.perigee.store.view.ViewConfig;
import dev.perigee.store.view.ViewLoop;
import dev.perigee.store.view.ViewSeams;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long DAY_MS = 24 * HOUR_MS;
    /** A midnight, so that the test reads its hours. */
    private static final long MIDNIGHT_MS = 20_000 * DAY_MS;

    private static final RetentionConfig CONFIG =
            new RetentionConfig(72 * HOUR_MS, Set.of(4), ZoneOffset.UTC, 75, 10_000);
    private static final int SEGMENT_BYTES = 64 * 1024;
    private static final QueueConfig QUEUES = new QueueConfig(50, 8, 4096, 3, 4);

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final HandClock clock = new HandClock(MIDNIGHT_MS + 12 * HOUR_MS);
    private final Queue<PacedTask> preparer = new ArrayDeque<>();
    private final List<Fact> facts = new ArrayList<>();
    private boolean refuseFacts;
    private boolean refuseFrames;
    private boolean applying;
    private boolean refuseSurveys;
    private boolean holdSurveys;
    private int surveys;
    private final RetentionDisk watched = new RetentionDisk(disk, () -> applying);
    private TestLog log = new TestLog(watched, SEGMENT_BYTES);
    private ConsumeQueueView queues = new ConsumeQueueView(watched, QUEUES, (at, size) -> 0);
    private RetentionView view = new RetentionView();
    private final KeptFrames keptFrames = new KeptFrames();
    private RetentionDuty duty = duty();
    private ViewLoop loop = loop();

    @BeforeEach
    void open() throws IOException {
        log.nowMs(clock.wallMs());
        loop.open();
    }

    private RetentionDuty duty() {
        RetentionSeams seams = new RetentionSeams(
                log.log(),
                watched,
                clock,
                this::background,
                this::append,
                this::appendFrame,
                () -> loop.appliedOffset());
        return new RetentionDuty(seams, CONFIG, view, List.of(queues, view, keptFrames));
    }

    /** Nothing here waits for the disk, so a survey may run at once. */
    private boolean background(PacedTask task) {
        surveys++;
        if (refuseSurveys) {
            return false;
        }
        boolean before = applying;
        applying = false; // this is the preparer's work
        if (!holdSurveys) {
            stepWhole(task);
        }
        applying = before;
        return true;
    }

    private static void stepWhole(PacedTask task) {
        try {
            while (task.step()) {
                // to its end
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private ViewLoop loop() {
        ViewSeams seams = new ViewSeams(log.log(), clock, disk, preparer::add, () -> true, () -> true);
        return new ViewLoop(seams, ViewConfig.DEFAULT, List.<LogView>of(queues, view, keptFrames), List.of(duty));
    }

    private void append(Fact fact, FactListener listener) {
        if (refuseFacts) {
            listener.completed(AppendResult.BUSY, -1);
            return;
        }
        facts.add(fact);
        log.append(fact);
        listener.completed(AppendResult.APPENDED, log.end());
    }

    private void appendFrame(
            String topic, int queueId, FrameDraft draft, FactSink.Room room, FactSink.FrameListener done) {
        assertThat(applying).as("frames are read and copied on the preparer").isFalse();
        assertThat(room).isEqualTo(FactSink.Room.RESERVE);
        if (refuseFrames) {
            done.completed(AppendResult.BUSY, -1, -1);
            return;
        }
        ByteBuffer bytes = ByteBuffer.allocate(draft.sizeBytes());
        draft.writeTo(bytes);
        MessageFrame frame = new MessageFrame().wrap(bytes, 0);
        byte[] body = new byte[frame.bodyLength()];
        bytes.get(frame.bodyAt(), body);
        String mark = Objects.requireNonNull(frame.property(PropertyKey.TIMER_MARK));
        log.append(
                log.next(topic, queueId).property(PropertyKey.TIMER_MARK, mark).body(body));
        done.completed(AppendResult.APPENDED, log.end(), frame.queueOffset());
    }

    private void restart() throws IOException {
        long end = log.end();
        long timeMs = log.nowMs();
        disk.kill();
        preparer.clear();
        TestLog former = log;
        log = new TestLog(disk, SEGMENT_BYTES).endAt(end);
        log.continueQueues(former);
        log.nowMs(timeMs);
        queues = new ConsumeQueueView(disk, QUEUES, (at, size) -> 0);
        view = new RetentionView();
        duty = duty();
        loop = loop();
        loop.open();
    }

    /** Time passes in steps, with the loop and the preparer doing what they have to. */
    private void pass(long ms) throws IOException {
        for (long left = ms; left > 0; left -= 10_000) {
            clock.advance(Math.min(left, 10_000));
            run();
        }
        log.nowMs(clock.wallMs());
    }

    private void run() throws IOException {
        int work;
        do {
            work = 0;
            applying = true;
            while (loop.doWork(clock.monotonicMs()) > 0) {
                work++;
            }
            applying = false;
            while (!preparer.isEmpty()) {
                work++;
                if (!preparer.element().step()) {
                    preparer.remove();
                }
            }
        } while (work > 0);
    }

    /** Writes a little more than two segments. */
    private void fill(String topic) {
        for (int i = 0; i < 140; i++) {
            log.append(log.next(topic, 0).body(new byte[900]));
        }
    }

    private long firstSegment() {
        return log.log().startOffset();
    }

    @Test
    void segmentsGoInTheDeletionHourOnceTheyAreOldInLogTime() throws IOException {
        fill("orders");
        pass(71 * HOUR_MS);
        assertThat(firstSegment()).isZero();
        pass(4 * HOUR_MS);
        assertThat(firstSegment()).as("expired, but it is 15 o'clock").isZero();
        pass(13 * HOUR_MS);
        assertThat(firstSegment()).as("after 4 o'clock").isPositive();
        ConsumeQueue queue = Objects.requireNonNull(queues.find("orders", 0));
        assertThat(queue.minOffset()).isPositive();
        assertThat(queue.maxOffset()).isEqualTo(140);
        assertThat(log.log().segments()).hasSize(1);
    }

    @Test
    void trimmingReadsNoQueueFileOnTheViewLoop() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        for (int i = 0; i < 4; i++) {
            fill("orders"); // so much that what is old has left memory
        }
        duty.force();
        pass(10_000);
        ConsumeQueue queue = Objects.requireNonNull(queues.find("orders", 0));
        assertThat(queue.minOffset()).isBetween(1L, 140L);
        assertThat(queue.memoryStart()).isGreaterThan(140);
        assertThat(watched.readWhileApplying).isEmpty();
        ConsumeQueueView rebuilt = new ConsumeQueueView(new CrashingDisk(new Random(2)), QUEUES, (at, size) -> 0);
        log.feed(firstSegment(), rebuilt);
        assertThat(rebuilt.fingerprint()).isEqualTo(queues.fingerprint());
    }

    @Test
    void aFrameThatIsStillWantedIsCopiedBeforeItsSegmentGoes() throws IOException {
        for (int i = 0; i < 100; i++) {
            log.append(log.next("waiting", 0)
                    .property(PropertyKey.TIMER_MARK, "mark" + i)
                    .body(new byte[] {(byte) i}));
        }
        fill("orders");
        pass(75 * HOUR_MS);
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).isPositive();
        assertThat(keptFrames.kept).hasSize(100);
        assertThat(keptFrames.firstLiveOffset()).isGreaterThanOrEqualTo(firstSegment());
    }

    /** R22: whoever wrote it may want it. */
    @Test
    void aFactThatWasPassedOverKeepsItsSegmentAlsoAfterARestart() throws IOException {
        log.append(log.next("orders", 0));
        log.append(new Fact.UnknownFact("HINT", false, "{}"));
        fill("orders");
        pass(75 * HOUR_MS);
        restart();
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).isZero();
        assertThat(view.firstLiveOffset()).isPositive().isLessThan(SEGMENT_BYTES);
        log.append(new LogTrimmed(SEGMENT_BYTES)); // by a master that knows it
        pass(10_000);
        assertThat(view.firstLiveOffset()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aCopyThatCannotBeAppendedKeepsTheSegment() throws IOException {
        log.append(log.next("waiting", 0).property(PropertyKey.TIMER_MARK, "mark"));
        fill("orders");
        pass(75 * HOUR_MS);
        refuseFrames = true;
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).isZero();
        refuseFrames = false;
        pass(10_000);
        assertThat(firstSegment()).isPositive();
    }

    private long waiting(String mark, int bodyBytes) {
        return log.append(
                log.next("waiting", 0).property(PropertyKey.TIMER_MARK, mark).body(new byte[bodyBytes]));
    }

    /** Turns one bit of the first segment of the log. */
    private void flipBit(long offset) throws IOException {
        try (DiskFile file = disk.open("commitlog/00000000000000000000")) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, offset);
            one.put(0, (byte) (one.get(0) ^ 4)).rewind();
            file.write(one, offset);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5, 9, 21, 30, 84, 88, 120, 160, 187})
    void aDamagedFrameIsLetGoByAFactAndNeverSealedAnew(int bitAt) throws IOException {
        waiting("before", 10);
        long rotten = waiting("rotten", 60);
        long behind = waiting("behind", 10);
        assertThat(rotten + bitAt).isLessThan(behind);
        fill("orders");
        pass(75 * HOUR_MS);
        flipBit(rotten + bitAt);
        duty.force();
        pass(20_000);
        assertThat(firstSegment()).as("what is damaged does not keep the log").isPositive();
        assertThat(keptFrames.kept.values()).containsExactlyInAnyOrder("before", "behind");
        assertThat(facts)
                .filteredOn(TimerClosed.class::isInstance)
                .containsExactly(TimerClosed.lost(List.of(), "rotten"));
        assertThat(duty.framesLost()).isEqualTo(1);
    }

    @Test
    void aFrameOfWhichNoCopyCanBeMadeIsAFailedCopyAndNotTheEndOfThePreparer() throws IOException {
        waiting("before", 10);
        waiting(KeptFrames.NO_COPY, 10);
        waiting("behind", 10);
        fill("orders");
        pass(75 * HOUR_MS);
        duty.force();
        pass(20_000);
        assertThat(firstSegment()).as("it is sound, so it stays where it is").isZero();
        assertThat(keptFrames.kept.lastKey()).as("others are copied").isGreaterThan(SEGMENT_BYTES);
        assertThat(duty.framesLost()).isZero();
        keptFrames.kept.values().remove(KeptFrames.NO_COPY); // delivered meanwhile
        pass(20_000);
        assertThat(firstSegment()).isPositive();
    }

    @Test
    void forcedDeletionNeedsNoHour() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).isPositive();
    }

    @Test
    void forcedDeletionTakesNothingThatHasNotExpired() throws IOException {
        fill("orders");
        pass(HOUR_MS);
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).isZero();
    }

    @Test
    void shortSpaceLetsExpiredSegmentsGoAtAnyHour() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        assertThat(firstSegment()).isZero();
        disk.freeBytes(disk.totalBytes() / 5);
        pass(20_000);
        assertThat(firstSegment()).isPositive();
    }

    @Test
    void endOfAnIdleQueueOutlivesItsLastFrame() throws IOException {
        for (int i = 0; i < 3; i++) {
            log.append(TestFrame.of("idle", 1, i));
        }
        fill("orders");
        pass(75 * HOUR_MS);
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).isPositive();
        ConsumeQueue idle = Objects.requireNonNull(queues.find("idle", 1));
        assertThat(idle.minOffset()).isEqualTo(3);
        assertThat(idle.maxOffset()).isEqualTo(3);
        ConsumeQueueView rebuilt = new ConsumeQueueView(new CrashingDisk(new Random(2)), QUEUES, (at, size) -> 0);
        log.feed(firstSegment(), rebuilt);
        assertThat(rebuilt.fingerprint()).isEqualTo(queues.fingerprint());
    }

    @Test
    void endOfAnIdleQueueIsRestatedAgainAndAgain() throws IOException {
        log.append(TestFrame.of("idle", 1, 0));
        long before = 0;
        for (int round = 0; round < 4; round++) {
            fill("orders");
            pass(75 * HOUR_MS);
            duty.force();
            pass(10_000);
            assertThat(firstSegment()).isGreaterThan(before);
            before = firstSegment();
            ConsumeQueueView rebuilt = new ConsumeQueueView(new CrashingDisk(new Random(2)), QUEUES, (at, size) -> 0);
            log.feed(firstSegment(), rebuilt);
            assertThat(rebuilt.fingerprint()).isEqualTo(queues.fingerprint()).contains("idle@1 [1, 1)");
        }
    }

    @Test
    void nothingGoesWhileFactsAreRefused() throws IOException {
        log.append(TestFrame.of("idle", 1, 0));
        fill("orders");
        refuseFacts = true;
        pass(75 * HOUR_MS);
        duty.force();
        pass(60_000);
        assertThat(firstSegment()).isZero();
        refuseFacts = false;
        pass(60_000);
        assertThat(firstSegment()).as("what was demanded is not forgotten").isPositive();
    }

    @Test
    void forcedDeletionIsTriedAgainUntilTheDiskCanBeLookedAt() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        watched.failReads = true;
        duty.force();
        int before = surveys;
        pass(60_000);
        assertThat(firstSegment()).isZero();
        assertThat(surveys - before).as("tries in a minute").isBetween(5, 7);
        watched.failReads = false;
        pass(20_000);
        assertThat(firstSegment()).isPositive();

        fill("orders");
        pass(75 * HOUR_MS);
        long start = firstSegment();
        pass(HOUR_MS);
        assertThat(firstSegment()).as("demanded once, done once").isEqualTo(start);
    }

    @Test
    void forcedDeletionThatNobodyHasTimeForIsAskedForNoMoreOftenThanItIsRetried() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        refuseSurveys = true;
        duty.force();
        int before = surveys;
        pass(60_000);
        assertThat(surveys - before).as("tries in a minute").isBetween(5, 13);
        refuseSurveys = false;
        pass(20_000);
        assertThat(firstSegment()).isPositive();
    }

    @Test
    void filesStayUntilTheViewsAreDurablePastTheTrim() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        duty.force();
        clock.advance(10_000);
        while (loop.doWork(clock.monotonicMs()) > 0 && facts.size() < 2) {
            clock.advance(1);
        }
        assertThat(facts.get(facts.size() - 1).kind()).isEqualTo("LOG_TRIMMED");
        assertThat(firstSegment()).as("no checkpoint was written yet").isZero();
        run();
        assertThat(firstSegment()).isPositive();
    }

    @Test
    void trimThatACrashLeftHalfDoneIsRepeated() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        duty.force();
        clock.advance(10_000);
        while (facts.isEmpty() || loop.doWork(clock.monotonicMs()) > 0) {
            loop.doWork(clock.monotonicMs());
        }
        assertThat(facts.get(facts.size() - 1).kind()).isEqualTo("LOG_TRIMMED");
        while (preparer.element().step()) {
            assertThat(preparer).hasSize(1);
        }
        restart();
        assertThat(firstSegment()).isZero();
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).isPositive();
    }

    @Test
    void clockThatJumpedYearsAheadBetweenTwoRunsDeletesNothingAtOnce() throws IOException {
        fill("orders");
        pass(60_000);
        restart();
        log.nowMs(log.nowMs() + 365 * DAY_MS);
        log.append(new EpochStarted(2, "id"));
        fill("orders");
        disk.freeBytes(disk.totalBytes() / 5);
        pass(LogTime.PAUSE_MS - 60_000);
        assertThat(firstSegment()).isZero();
        duty.force();
        pass(10_000);
        assertThat(firstSegment()).as("an operator may").isPositive();
    }

    @Test
    void firstMessageOfAnEmptyLogIsNoJump() throws IOException {
        LogTime time = new LogTime(Long.MAX_VALUE);
        time.observe(new RetentionView(), clock.monotonicMs());
        fill("orders");
        run();
        time.observe(view, clock.monotonicMs());
        assertThat(time.paused(clock.monotonicMs())).isFalse();
    }

    @Test
    void diskThatCannotBeAskedPostponesRetentionAndStopsNothing() throws IOException {
        fill("orders");
        pass(75 * HOUR_MS);
        watched.failSpace = true;
        pass(60_000);
        assertThat(duty.failures()).isGreaterThan(2);
        assertThat(firstSegment()).isZero();
        watched.failSpace = false;
        disk.freeBytes(disk.totalBytes() / 5);
        pass(20_000);
        assertThat(firstSegment()).isPositive();
    }

    @Test
    void loopGoesOnWhileTheDiskIsAskedElsewhere() throws IOException {
        fill("orders");
        pass(10_000);
        holdSurveys = true;
        watched.failSpace = true;
        int before = surveys;
        pass(75 * HOUR_MS);
        assertThat(surveys).as("one at a time").isEqualTo(before + 1);
        assertThat(duty.failures()).isZero();
        assertThat(loop.appliedOffset()).isEqualTo(log.end());
        assertThat(loop.nextDeadlineMs()).as("it sleeps meanwhile").isGreaterThan(clock.monotonicMs());
    }

    @Test
    void whatWasTakenAwayByHandIsToldInTheLogAndQueuesBeginBehindIt() throws IOException {
        log.append(log.next("idle", 3));
        fill("orders");
        run();
        loop.requestCheckpoint();
        run();
        assertThat(loop.durableOffset()).isEqualTo(log.end());
        disk.delete("commitlog/00000000000000000000");
        restart();
        long start = firstSegment();
        assertThat(start).isEqualTo(SEGMENT_BYTES);
        assertQueuesBeginBehind(start);
        pass(20_000);
        assertThat(facts)
                .as("told once")
                .filteredOn(LogTrimmed.class::isInstance)
                .containsExactly(new LogTrimmed(start));
        pass(HOUR_MS);
        assertThat(facts).filteredOn(LogTrimmed.class::isInstance).hasSize(1);
        disk.delete("consumequeue/view.checkpoint");
        disk.delete("retention/view.checkpoint");
        restart();
        assertQueuesBeginBehind(start);
    }

    private void assertQueuesBeginBehind(long start) {
        ConsumeQueue orders = Objects.requireNonNull(queues.find("orders", 0));
        assertThat(orders.minOffset()).isPositive();
        assertThat(orders.maxOffset()).isEqualTo(140);
        List<Long> places = new ArrayList<>();
        orders.read(orders.minOffset(), 1, (offset, physical, size, tag) -> places.add(physical));
        assertThat(places.get(0)).isBetween(start, start + 2000);
        ConsumeQueue idle = Objects.requireNonNull(queues.find("idle", 3));
        assertThat(List.of(idle.minOffset(), idle.maxOffset()))
                .as("its message is gone, its next offset is not")
                .containsExactly(1L, 1L);
    }

    @Test
    void wallClockAloneMakesNothingOld() throws IOException {
        fill("orders");
        disk.freeBytes(disk.totalBytes() / 5);
        pass(60_000);
        clock.wall(clock.wallMs() + 365 * DAY_MS);
        pass(HOUR_MS);
        assertThat(firstSegment()).isZero();
    }

    @Test
    void hoursOfTheUsualSettingAreRead() {
        assertThat(RetentionConfig.hours("04")).containsExactly(4);
        assertThat(RetentionConfig.hours("0;12 ;23")).containsExactly(0, 12, 23);
        assertThatThrownBy(() -> RetentionConfig.hours("4,5")).hasMessageContaining("'4,5'");
        assertThatThrownBy(() -> RetentionConfig.of(72, "24", ZoneOffset.UTC)).hasMessageContaining("24");
    }
}
