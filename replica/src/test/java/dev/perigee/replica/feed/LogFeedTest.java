package dev.perigee.replica.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.replica.ByteLog;
import dev.perigee.replica.StreamLimits;
import dev.perigee.store.frame.FrameLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogFeedTest {
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final long SESSION = 5;

    private final ByteLog log = new ByteLog(SEGMENT_BYTES);

    private static FeedTerms terms(int windowBytes, int frameBytes, long catchUpBytesPerSec) {
        return new FeedTerms(SESSION, 3, windowBytes, frameBytes, catchUpBytesPerSec);
    }

    private LogFeed feed(int windowBytes, int frameBytes) {
        LogFeed feed = new LogFeed(log, terms(windowBytes, frameBytes, 0));
        feed.startAt(0, 0, 0);
        return feed;
    }

    private static List<FeedFrame> all(LogFeed feed, long nowMs) {
        List<FeedFrame> frames = new ArrayList<>();
        do {
            frames.addAll(turn(feed, nowMs));
        } while (feed.wantsTurn());
        return frames;
    }

    private static List<FeedFrame> turn(LogFeed feed, long nowMs) {
        List<FeedFrame> frames = new ArrayList<>();
        feed.beginTurn();
        for (var next = feed.next(nowMs); next.isPresent(); next = feed.next(nowMs)) {
            frames.add(next.get());
            next.get().release();
        }
        return frames;
    }

    @Test
    void sendsNothingBeforeTheReplicaSaidWhatItHolds() {
        log.unit(100);
        LogFeed feed = new LogFeed(log, terms(4096, 1024, 0));
        assertThat(feed.next(0)).isEmpty();
        assertThat(feed.nextDeadlineMs(0)).isEqualTo(Long.MAX_VALUE);
        feed.startAt(0, 0, 0);
        assertThat(feed.next(0)).isPresent();
        assertThatThrownBy(() -> feed.startAt(0, 0, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void tellsThatMoreIsConfirmedSoonAlsoWhenNothingElseIsToBeSent() {
        log.unit(100);
        LogFeed feed = feed(1 << 20, 4_096);
        assertThat(all(feed, 0)).hasSize(1);
        assertThat(feed.nextDeadlineMs(0)).isEqualTo(StreamLimits.CONFIRM_MS);
        assertThat(all(feed, StreamLimits.CONFIRM_MS)).as("nothing new").isEmpty();
        log.confirm(log.endOffset());
        assertThat(all(feed, StreamLimits.CONFIRM_MS))
                .extracting(frame -> frame.header().confirmOffset())
                .containsExactly(log.endOffset());
        assertThat(feed.nextDeadlineMs(StreamLimits.CONFIRM_MS))
                .as("the heartbeat")
                .isEqualTo(StreamLimits.CONFIRM_MS + StreamLimits.HEARTBEAT_MS);
    }

    @Test
    void sendsWholeUnitsAsLongAsTheyFitIntoAFrame() {
        log.unit(300).unit(300, 300).unit(300);
        LogFeed feed = feed(1 << 20, 1_400);
        List<FeedFrame> frames = all(feed, 0);
        assertThat(frames)
                .extracting(frame -> frame.header().offset())
                .containsExactly(0L, log.unitEnds().get(1));
        assertThat(frames.get(0).sizeBytes()).isEqualTo(log.unitEnds().get(1).intValue());
    }

    @Test
    void keepsTheSegmentUntilTheFramesThatLieInItWereSent() {
        log.unit(300).unit(300);
        LogFeed feed = feed(1 << 20, 500);
        feed.beginTurn();
        FeedFrame first = feed.next(0).orElseThrow();
        FeedFrame second = feed.next(0).orElseThrow();
        feed.close();
        first.release();
        assertThat(log.pinned()).isEqualTo(1);
        assertThat(log.bytes()).startsWith(bytesOf(first));
        second.release();
        assertThat(log.pinned()).isZero();
    }

    @Test
    void endsWhenFramesThatLieInTheLogWaitForAReplicaThatDoesNotMove() {
        log.unit(300);
        LogFeed feed = feed(1 << 20, 500);
        long idleMs = 2 * StreamLimits.PIN_MS;
        turn(feed, 0);
        feed.held(log.endOffset(), 0);
        log.unit(300);
        feed.beginTurn();
        FeedFrame unsent = feed.next(idleMs).orElseThrow();
        turn(feed, idleMs + StreamLimits.PIN_MS - 1);
        assertThat(feed.fault()).as("before, it had nothing to take").isEmpty();
        turn(feed, idleMs + StreamLimits.PIN_MS);
        assertThat(feed.fault()).isPresent();
        feed.close();
        unsent.release();
        assertThat(log.pinned()).isZero();
    }

    private static byte[] bytesOf(FeedFrame frame) {
        byte[] bytes = new byte[frame.sizeBytes()];
        frame.buffer(0).get(bytes);
        return bytes;
    }

    @Test
    void sendsALargerUnitInFragmentsAndSaysTheSameEpochBeforeAllOfThem() {
        log.epoch(1).unit(10).epoch(2).unit(5_000).unit(10);
        LogFeed feed = feed(1 << 20, 1_024);
        List<FeedFrame> frames = all(feed, 0);
        assertThat(frames.get(0).header().epochBefore()).isZero();
        List<Integer> before =
                frames.stream().map(frame -> frame.header().epochBefore()).toList();
        assertThat(before.subList(1, before.size() - 1)).containsOnly(1);
        assertThat(before.get(before.size() - 1)).isEqualTo(2);
        assertThat(frames).allSatisfy(frame -> assertThat(frame.sizeBytes()).isLessThanOrEqualTo(1_024));
        assertThat(frames.stream().mapToInt(frame -> frame.sizeBytes()).sum()).isEqualTo((int) log.endOffset());
    }

    @Test
    void sendsNoMoreThanTheWindowUntilTheReplicaHoldsIt() {
        for (int i = 0; i < 20; i++) {
            log.unit(1_000);
        }
        LogFeed feed = feed(5_000, 1_200);
        all(feed, 0);
        assertThat(feed.sentOffset()).isBetween(2_000L, 5_000L);
        long sent = feed.sentOffset();
        assertThat(feed.next(1)).isEmpty();
        feed.held(log.unitEnds().get(0), 1);
        all(feed, 1);
        assertThat(feed.sentOffset()).isGreaterThan(sent);
        while (feed.heldOffset() < log.endOffset()) {
            feed.held(feed.sentOffset(), 2);
            all(feed, 2);
        }
        assertThat(feed.fault()).isEmpty();
    }

    @Test
    void takesFramesFromUpToTheEndAndNotOnlyWhatIsConfirmed() {
        log.unit(100).unit(100);
        log.confirm(log.unitEnds().get(0));
        List<FeedFrame> frames = all(feed(1 << 20, 4_096), 0);
        assertThat(frames).hasSize(1);
        assertThat(frames.get(0).sizeBytes()).isEqualTo((int) log.endOffset());
        assertThat(frames.get(0).header().confirmOffset())
                .isEqualTo(log.unitEnds().get(0));
    }

    @Test
    void sendsOfABlankOnlyItsHeadAndGoesOnInTheNextSegment() {
        log.unit(600_000).unit(600_000);
        LogFeed feed = feed(8 << 20, 700_000);
        List<FeedFrame> frames = all(feed, 0);
        assertThat(frames.get(0).sizeBytes()).isEqualTo(log.unitEnds().get(0).intValue() + StreamLimits.BLANK_BYTES);
        assertThat(frames.get(1).header().offset()).isEqualTo(SEGMENT_BYTES);
        assertThat(log.pinned()).isEqualTo(1);
        feed.close();
        assertThat(log.pinned()).isZero();
    }

    @Test
    void saysAtLeastEveryHalfSecondThatItIsThere() {
        LogFeed feed = feed(4_096, 1_024);
        assertThat(feed.next(0)).hasValueSatisfying(frame -> {
            assertThat(frame.header()).isEqualTo(new FetchedHeader(SESSION, 3, 0, 0, 0));
            assertThat(frame.sizeBytes()).isZero();
        });
        assertThat(feed.next(StreamLimits.HEARTBEAT_MS - 1)).isEmpty();
        assertThat(feed.nextDeadlineMs(0)).isEqualTo(StreamLimits.HEARTBEAT_MS);
        assertThat(feed.next(StreamLimits.HEARTBEAT_MS)).isPresent();
    }

    @Test
    void endsWhenTheReplicaHoldsWhatItWasNotSent() {
        log.unit(100);
        LogFeed feed = feed(4_096, 1_024);
        all(feed, 0);
        feed.held(log.endOffset() + 1, 1);
        assertThat(feed.fault())
                .hasValueSatisfying(fault ->
                        assertThat(fault).contains("" + (log.endOffset() + 1)).contains("" + log.endOffset()));
        assertThat(feed.next(10_000)).isEmpty();
    }

    @Test
    void endsWhenWhatTheReplicaHoldsFalls() {
        log.unit(100).unit(100);
        LogFeed feed = feed(4_096, 1_024);
        all(feed, 0);
        feed.held(log.endOffset(), 1);
        feed.held(log.unitEnds().get(0), 2);
        assertThat(feed.fault()).isPresent();
    }

    @Test
    void refusesAReplicaThatIsLongerThanTheLog() {
        LogFeed feed = new LogFeed(log.unit(10), terms(4_096, 1_024, 0));
        feed.startAt(log.endOffset() + 1, 1, 0);
        assertThat(feed.fault()).isPresent();
    }

    /** R28: what is damaged is never sent, be it in the middle of a frame of the stream. */
    @Test
    void sendsNothingFromADamagedFrameOn() {
        log.unit(100).unit(100).unit(100);
        log.damage(log.unitEnds().get(0) + 95);
        LogFeed feed = feed(1 << 20, 4_096);
        List<FeedFrame> frames = all(feed, 0);
        assertThat(frames).hasSize(1);
        assertThat(frames.get(0).sizeBytes()).isEqualTo(log.unitEnds().get(0).intValue());
        assertThat(feed.next(StreamLimits.HEARTBEAT_MS)).isEmpty();
        assertThat(feed.fault())
                .hasValueSatisfying(fault -> assertThat(fault)
                        .contains("damaged at offset " + log.unitEnds().get(0)));
    }

    /** What this process wrote a moment ago is as it was written; should it not be, the replica refuses it and its next session finds why. */
    @Test
    void leavesTheChecksumsOfWhatIsWrittenMeanwhileToTheReplica() {
        log.unit(100);
        LogFeed feed = feed(1 << 20, 4_096);
        long before = all(feed, 0).get(0).sizeBytes();
        log.unit(100);
        log.damage((int) before + 95);
        assertThat(all(feed, 1)).hasSize(1);
        assertThat(feed.sentOffset()).isEqualTo(log.endOffset());
        LogFeed next = feed(1 << 20, 4_096);
        all(next, 2);
        assertThat(next.sentOffset()).isEqualTo(before);
        assertThat(next.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("damaged at offset " + before));
    }

    @Test
    void findsAFrameWhoseLengthsDoNotFitInWhatIsWrittenMeanwhile() {
        LogFeed feed = feed(1 << 20, 4_096);
        log.unit(100);
        log.damage(FrameLayout.HEAD_BYTES / 2); // its magic
        assertThat(all(feed, 0))
                .allSatisfy(frame -> assertThat(frame.sizeBytes()).isZero());
        assertThat(feed.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("damaged at offset 0"));
    }

    /** Nothing may block an event loop: what is not in memory is asked for, and comes in its time. */
    @Test
    void hasReadElsewhereWhatIsNotInMemory() {
        log.unit(100).unit(100);
        log.cold(true);
        LogFeed feed = feed(1 << 20, 4_096);
        assertThat(all(feed, 0))
                .as("the heartbeat")
                .hasSize(1)
                .allSatisfy(frame -> assertThat(frame.sizeBytes()).isZero());
        assertThat(feed.verifiedBytes()).isZero();
        Runnable read = feed.readElsewhere(0).orElseThrow();
        assertThat(feed.readElsewhere(0)).as("it is handed out once").isEmpty();
        assertThat(all(feed, StreamLimits.HEARTBEAT_MS))
                .as("the replica hears of the master meanwhile")
                .hasSize(1);
        read.run();
        feed.readDone();
        assertThat(all(feed, 600)).extracting(frame -> frame.sizeBytes()).containsExactly((int) log.endOffset());
        assertThat(feed.fault()).isEmpty();
    }

    @Test
    void findsDamageInWhatIsReadElsewhere() {
        log.unit(100);
        log.damage(95);
        log.cold(true);
        LogFeed feed = feed(1 << 20, 4_096);
        all(feed, 0);
        feed.readElsewhere(0).orElseThrow().run();
        feed.readDone();
        assertThat(feed.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("damaged at offset 0"));
    }

    @Test
    void asksAgainWhenTooManyReadsWait() {
        log.unit(100);
        log.cold(true);
        LogFeed feed = feed(1 << 20, 4_096);
        all(feed, 0);
        assertThat(feed.readElsewhere(0)).isPresent();
        feed.readRefused(0);
        assertThat(feed.nextDeadlineMs(0)).isEqualTo(LogFeed.READ_RETRY_MS);
        assertThat(feed.readElsewhere(LogFeed.READ_RETRY_MS - 1)).isEmpty();
        feed.readElsewhere(LogFeed.READ_RETRY_MS).orElseThrow().run();
        feed.readDone();
        assertThat(all(feed, LogFeed.READ_RETRY_MS)).hasSize(1);
    }

    /** The mapping must not go while another thread reads it. */
    @Test
    void keepsTheSegmentUntilWhatIsReadElsewhereIsRead() {
        log.unit(100);
        log.cold(true);
        LogFeed feed = feed(1 << 20, 4_096);
        all(feed, 0);
        Runnable read = feed.readElsewhere(0).orElseThrow();
        all(feed, StreamLimits.PIN_MS);
        feed.close();
        assertThat(log.pinned()).isEqualTo(1);
        read.run();
        feed.readDone();
        assertThat(log.pinned()).isZero();
    }

    @Test
    void letsTheSegmentGoWhenNobodyHasBegunToReadIt() {
        log.unit(100);
        log.cold(true);
        LogFeed feed = feed(1 << 20, 4_096);
        all(feed, 0);
        feed.close();
        assertThat(log.pinned()).isZero();
    }

    @Test
    void leavesTheEventLoopToOthersAfterABoundedAmountOfWork() {
        ByteLog large = new ByteLog(8 << 20);
        for (int i = 0; i < 40; i++) {
            large.unit(100_000);
        }
        LogFeed feed = new LogFeed(large, FeedTerms.of(SESSION, 3, 8 << 20, 0));
        feed.startAt(0, 0, 0);
        long sent = 0;
        int turns = 0;
        do {
            turn(feed, 0);
            assertThat(feed.sentOffset()).isGreaterThan(sent);
            assertThat(feed.sentOffset() - sent).isLessThanOrEqualTo(LogFeed.TURN_BYTES);
            sent = feed.sentOffset();
            turns++;
        } while (feed.wantsTurn());
        assertThat(sent).isEqualTo(large.endOffset());
        assertThat(turns).isGreaterThan(8);
    }

    @Test
    void verifiesALargeUnitInSeveralTurns() {
        ByteLog large = new ByteLog(8 << 20);
        int[] bodies = new int[40];
        Arrays.fill(bodies, 100_000);
        large.unit(bodies);
        LogFeed feed = new LogFeed(large, FeedTerms.of(SESSION, 3, 8 << 20, 0));
        feed.startAt(0, 0, 0);
        long verified = 0;
        do {
            turn(feed, 0);
            assertThat(feed.verifiedBytes() - verified).isLessThanOrEqualTo(LogFeed.TURN_BYTES + 101_000L);
            verified = feed.verifiedBytes();
        } while (feed.wantsTurn());
        assertThat(feed.sentOffset()).isEqualTo(large.endOffset());
        assertThat(verified).isEqualTo(large.endOffset());
    }

    @Test
    void verifiesAUnitOnceHoweverLongItWaits() {
        for (int i = 0; i < 40; i++) {
            log.unit(1_000);
        }
        LogFeed feed = new LogFeed(log, terms(5_000, 1_400, 20_000));
        feed.startAt(0, 0, 0);
        for (long nowMs = 0; feed.sentOffset() < log.endOffset() && nowMs < 60_000; nowMs += 10) {
            all(feed, nowMs);
            if (nowMs % 100 == 0) {
                feed.held(feed.sentOffset(), nowMs);
            }
        }
        assertThat(feed.sentOffset()).isEqualTo(log.endOffset());
        assertThat(feed.verifiedBytes()).isEqualTo(log.endOffset());
    }

    @Test
    void endsWhenWhatIsToBeSentWasDeleted() {
        log.unit(600_000).unit(600_000);
        LogFeed feed = feed(8 << 20, 700_000);
        log.trimTo(SEGMENT_BYTES);
        assertThat(feed.next(0)).isEmpty();
        assertThat(feed.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("" + SEGMENT_BYTES));
    }

    /** R35: the segment that is sent is kept, but a replica that does not move keeps it for a time only. */
    @Test
    void letsTheSegmentGoWhenTheReplicaDoesNotMoveForLong() {
        for (int i = 0; i < 10; i++) {
            log.unit(1_000);
        }
        LogFeed feed = feed(2_000, 1_200);
        all(feed, 0);
        assertThat(log.pinned()).isEqualTo(1);
        all(feed, StreamLimits.PIN_MS - 1);
        assertThat(log.pinned()).isEqualTo(1);
        all(feed, StreamLimits.PIN_MS);
        assertThat(log.pinned()).isZero();
        feed.held(feed.sentOffset(), StreamLimits.PIN_MS + 1);
        assertThat(all(feed, StreamLimits.PIN_MS + 1)).isNotEmpty();
    }

    @Test
    void pacesAReplicaThatIsFarBehindAndNoOther() {
        for (int i = 0; i < 100; i++) {
            log.unit(1_000);
        }
        LogFeed feed = new LogFeed(log, terms(16_000, 2_500, 20_000));
        feed.startAt(0, 0, 0);
        long lastMs = 0;
        for (long nowMs = 0; nowMs <= 60_000 && feed.sentOffset() < log.endOffset(); nowMs += 10) {
            all(feed, nowMs);
            feed.held(feed.sentOffset(), nowMs);
            lastMs = nowMs;
        }
        assertThat(feed.sentOffset()).isEqualTo(log.endOffset());
        long pacedBytes = log.endOffset() - 16_000;
        assertThat(lastMs).isBetween(pacedBytes * 1_000 / 20_000 - 500, pacedBytes * 1_000 / 20_000 + 500);
    }

    /** It is held once it is whole, so the window alone would never let its end go. */
    @Test
    void sendsAUnitThatIsLargerThanTheWindowOnceAllBeforeItIsHeld() {
        log.unit(1_000).unit(20_000).unit(1_000);
        LogFeed feed = feed(4_000, 1_200);
        all(feed, 0);
        assertThat(feed.sentOffset()).isLessThanOrEqualTo(4_000);
        feed.held(log.unitEnds().get(0), 1);
        all(feed, 1);
        assertThat(feed.sentOffset()).isEqualTo(log.unitEnds().get(1));
        feed.held(log.unitEnds().get(1), 2);
        all(feed, 2);
        assertThat(feed.sentOffset()).isEqualTo(log.endOffset());
    }

    @Test
    void saysNothingMoreWhenAnotherOneWritesTheEndOfTheLogBeItInAnEarlierEpoch() { // R19: what is confirmed there
        // was not sent here
        for (int another : List.of(4, 2)) {
            log.unit(100);
            LogFeed feed = feed(4096, 1024);
            log.endIn(3);
            assertThat(all(feed, 0)).isNotEmpty();

            log.endIn(another);
            log.confirm(log.endOffset());

            assertThat(all(feed, StreamLimits.HEARTBEAT_MS)).isEmpty();
            assertThat(feed.fault())
                    .hasValueSatisfying(fault -> assertThat(fault).contains("epoch 3"));
        }
    }
}
