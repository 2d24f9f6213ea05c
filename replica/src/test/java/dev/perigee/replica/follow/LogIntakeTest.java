package dev.perigee.replica.follow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.header.replica.FetchedHeader;
import dev.perigee.replica.ByteLog;
import dev.perigee.replica.feed.FeedFrame;
import dev.perigee.replica.feed.FeedTerms;
import dev.perigee.replica.feed.LogFeed;
import dev.perigee.replica.follow.LogIntake.Verdict;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class LogIntakeTest {
    private static final int SEGMENT_BYTES = 1 << 20;
    private static final long SESSION = 7;
    private static final int EPOCH = 4;

    private final ByteLog sent = new ByteLog(SEGMENT_BYTES);
    private final ByteLog log = new ByteLog(SEGMENT_BYTES);
    private final LogIntake intake =
            new LogIntake(new LogIntake.Terms(SESSION, EPOCH, 64_000, 32_000, 400), 0, 0, log, 0);

    /** The stream in frames of at most that many bytes. */
    private List<FeedFrame> frames(int frameBytes) {
        LogFeed feed = new LogFeed(sent, new FeedTerms(SESSION, EPOCH, 64 << 20, frameBytes, 0));
        feed.startAt(0, 0, 0);
        List<FeedFrame> frames = new ArrayList<>();
        do {
            feed.beginTurn();
            for (var next = feed.next(0); next.isPresent(); next = feed.next(0)) {
                frames.add(next.get());
            }
        } while (feed.wantsTurn());
        return frames;
    }

    private Verdict receive(FeedFrame frame) {
        return intake.received(frame.header(), frame.bytes().duplicate(), 0);
    }

    private Verdict receive(FetchedHeader header, byte... bytes) {
        return intake.received(header, ByteBuffer.wrap(bytes), 0);
    }

    @Test
    void handsFragmentsToTheLogOnlyWhenTheUnitIsWhole() {
        sent.unit(5_000, 5_000);
        List<FeedFrame> frames = frames(1_024);
        for (FeedFrame frame : frames.subList(0, frames.size() - 1)) {
            assertThat(receive(frame)).isEqualTo(Verdict.TAKEN);
            assertThat(log.endOffset()).isZero();
        }
        receive(frames.get(frames.size() - 1));
        assertThat(log.bytes()).isEqualTo(sent.bytes());
    }

    @Test
    void goesOnInTheNextSegmentBehindABlank() {
        sent.unit(9_000).unit(9_000);
        while (sent.endOffset() < SEGMENT_BYTES) {
            sent.unit(9_000);
        }
        frames(10_000).forEach(frame -> assertThat(receive(frame)).isEqualTo(Verdict.TAKEN));
        assertThat(log.bytes()).isEqualTo(sent.bytes());
    }

    @Test
    void passesOverWhatCameBefore() {
        sent.unit(100).unit(2_000);
        List<FeedFrame> frames = frames(1_024);
        receive(frames.get(0));
        receive(frames.get(1));
        assertThat(receive(frames.get(0))).isEqualTo(Verdict.IGNORED);
        assertThat(receive(frames.get(1))).isEqualTo(Verdict.IGNORED);
        assertThat(receive(new FetchedHeader(SESSION, EPOCH, 0, 0, 0))).isEqualTo(Verdict.IGNORED);
        frames.subList(2, frames.size()).forEach(this::receive);
        assertThat(log.bytes()).isEqualTo(sent.bytes());
    }

    @Test
    void passesOverFramesOfAnotherSession() {
        assertThat(receive(new FetchedHeader(SESSION + 1, EPOCH, 0, 0, 99), (byte) 1))
                .isEqualTo(Verdict.IGNORED);
        assertThat(intake.confirmOffset()).isZero();
        assertThat(intake.nextOffset()).isZero();
    }

    @Test
    void endsTheSessionWhenAFrameIsMissing() {
        sent.unit(100).unit(1_000);
        List<FeedFrame> frames = frames(512);
        receive(frames.get(0));
        assertThat(receive(frames.get(2))).isEqualTo(Verdict.REFUSED);
        assertThat(intake.fault())
                .hasValueSatisfying(fault -> assertThat(fault)
                        .contains("" + frames.get(2).header().offset())
                        .contains("" + frames.get(1).header().offset()));
        assertThat(receive(frames.get(1))).as("nothing is taken any more").isEqualTo(Verdict.REFUSED);
    }

    @Test
    void endsTheSessionWhenTheEpochBeforeDiffers() {
        assertThat(receive(new FetchedHeader(SESSION, EPOCH, 3, 0, 0))).isEqualTo(Verdict.REFUSED);
        assertThat(intake.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("epoch 3"));
    }

    @Test
    void endsTheSessionWhenTheSenderChangesItsEpoch() {
        assertThat(receive(new FetchedHeader(SESSION, EPOCH + 1, 0, 0, 0))).isEqualTo(Verdict.REFUSED);
    }

    /** A sender that was deposed and follows another one now has such units, and whoever takes them would be ahead of its own term. */
    @Test
    void takesNoUnitOfALaterEpochThanTheSenderWritesIn() {
        sent.unit(100).epoch(EPOCH + 1).unit(200);
        assertThat(frames(4_096).stream().map(this::receive)).contains(Verdict.REFUSED);
        assertThat(intake.fault())
                .hasValueSatisfying(fault -> assertThat(fault).contains("epoch " + (EPOCH + 1), "epoch " + EPOCH));
        assertThat(log.endOffset()).isZero();
    }

    @Test
    void endsTheSessionAtBytesThatBeginNoFrame() {
        assertThat(receive(new FetchedHeader(SESSION, EPOCH, 0, 0, 0), new byte[16]))
                .isEqualTo(Verdict.REFUSED);
        assertThat(intake.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("no frame at offset 0"));
    }

    @Test
    void keepsNoUnitThatIsLargerThanTheLimit() {
        sent.unit(20_000, 20_000);
        List<Verdict> verdicts = new ArrayList<>();
        frames(1_024).forEach(frame -> verdicts.add(receive(frame)));
        assertThat(verdicts).contains(Verdict.REFUSED);
        assertThat(intake.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("32000"));
        assertThat(log.endOffset()).isZero();
    }

    @Test
    void takesNothingBehindABlankInTheSameFrame() {
        ByteBuffer bytes = ByteBuffer.allocate(16);
        bytes.putInt(1_000).putInt(dev.perigee.store.frame.FrameLayout.BLANK_MAGIC);
        assertThat(receive(new FetchedHeader(SESSION, EPOCH, 0, 0, 0), bytes.array()))
                .isEqualTo(Verdict.REFUSED);
    }

    @Test
    void keepsWhatTheLogDoesNotTakeAndOffersItAgainInOrder() {
        sent.unit(100).unit(200).unit(300);
        log.full(true);
        frames(400).forEach(frame -> assertThat(receive(frame)).isEqualTo(Verdict.TAKEN));
        assertThat(intake.isFull()).isTrue();
        assertThat(intake.drain(0)).isFalse();
        log.full(false);
        assertThat(intake.drain(0)).isTrue();
        assertThat(intake.isFull()).isFalse();
        assertThat(log.bytes()).isEqualTo(sent.bytes());
    }

    @Test
    void endsTheSessionWhenTheSenderDoesNotKeepToTheWindow() {
        for (int i = 0; i < 400; i++) {
            sent.unit(1_000);
        }
        log.full(true);
        List<Verdict> verdicts = new ArrayList<>();
        frames(2_000).forEach(frame -> verdicts.add(receive(frame)));
        assertThat(verdicts).startsWith(Verdict.TAKEN).endsWith(Verdict.REFUSED);
        assertThat(intake.fault()).hasValueSatisfying(fault -> assertThat(fault).contains("window 64000"));
    }

    @Test
    void tellsTheLogWithAHeartbeatHowFarTheSenderIsConfirmed() {
        sent.unit(100);
        frames(1_024).forEach(this::receive);
        assertThat(receive(new FetchedHeader(SESSION, EPOCH, 1, sent.endOffset(), sent.endOffset())))
                .isEqualTo(Verdict.TAKEN);
        assertThat(log.confirmOffset()).isEqualTo(sent.endOffset());
    }

    @Test
    void remembersWhenTheSenderWasHeard() {
        assertThat(intake.heardMs()).isZero();
        intake.received(new FetchedHeader(SESSION, EPOCH, 0, 0, 0), ByteBuffer.allocate(0), 123);
        assertThat(intake.heardMs()).isEqualTo(123);
        intake.received(new FetchedHeader(SESSION + 1, EPOCH, 0, 0, 0), ByteBuffer.allocate(0), 456);
        assertThat(intake.heardMs()).isEqualTo(123);
    }

    @Test
    void nothingMoreIsExpectedOfASenderThatWasNotHeardForTenSeconds() {
        intake.received(new FetchedHeader(SESSION, EPOCH, 0, 0, 0), ByteBuffer.allocate(0), 500);

        assertThat(intake.standstill(500 + LogIntake.SILENCE_MS)).isEmpty();
        assertThat(intake.standstill(501 + LogIntake.SILENCE_MS))
                .hasValueSatisfying(why -> assertThat(why).contains("not heard for 10001 ms"));
    }

    @Test
    void nothingMoreIsExpectedOfAUnitThatDoesNotGoOnThoughTheSenderIsHeard() {
        sent.unit(5_000);
        FeedFrame first = frames(1_024).get(0);
        intake.received(first.header(), first.bytes(), 200);
        long behind = intake.nextOffset();
        long lateMs = 201 + LogIntake.UNFINISHED_MS;
        intake.received(new FetchedHeader(SESSION, EPOCH, 0, behind, 0), ByteBuffer.allocate(0), lateMs);

        assertThat(intake.standstill(lateMs - 1)).isEmpty();
        assertThat(intake.standstill(lateMs))
                .hasValueSatisfying(why -> assertThat(why).contains("offset " + behind, "60001 ms"));
    }

    /** A full disk lasts for hours. What was sent meanwhile lies in buffers, and is read when there is room. */
    @Test
    void timeInWhichTheLogTookNothingDoesNotCountAgainstTheSender() {
        sent.unit(100).unit(5_000);
        List<FeedFrame> frames = frames(1_024);
        log.full(true);
        intake.received(frames.get(0).header(), frames.get(0).bytes(), 100);
        intake.received(frames.get(1).header(), frames.get(1).bytes(), 100);
        long roomMs = 100 + 10 * LogIntake.UNFINISHED_MS;
        assertThat(intake.isFull()).isTrue();
        assertThat(intake.unfinishedMs(roomMs)).isPositive();
        assertThat(intake.standstill(roomMs)).isEmpty();

        log.full(false);
        assertThat(intake.drain(roomMs)).isTrue();

        assertThat(intake.standstill(roomMs + LogIntake.SILENCE_MS)).isEmpty();
        assertThat(intake.standstill(roomMs + LogIntake.SILENCE_MS + 1)).isPresent();
        assertThat(intake.unfinishedMs(roomMs + 1)).isEqualTo(1);
    }

    private Verdict receiveWithLongerFrame(FeedFrame frame, int frameStart) {
        ByteBuffer damaged = ByteBuffer.allocate(frame.bytes().remaining());
        damaged.put(frame.bytes().duplicate()).flip();
        damaged.putInt(frameStart, damaged.getInt(frameStart) + 5_000);
        return intake.received(frame.header(), damaged, 0);
    }

    /** With nothing more to be sent it would wait for the rest for ever, in good health by all heartbeats. */
    @Test
    void endsTheSessionWhenASmallUnitSeemsToGoOnBehindItsFrame() {
        sent.unit(100);
        FeedFrame frame = frames(1_024).get(0);
        assertThat(receiveWithLongerFrame(frame, 0)).isEqualTo(Verdict.REFUSED);
        assertThat(intake.fault().orElseThrow()).contains("offset 0", "fragment", "400");
    }

    @Test
    void endsTheSessionWhenTheLastUnitOfAFrameSeemsToGoOn() {
        sent.unit(900);
        int first = (int) sent.endOffset();
        sent.unit(900);
        FeedFrame frame = frames(2_048).get(0);
        assertThat(receiveWithLongerFrame(frame, first)).isEqualTo(Verdict.REFUSED);
        assertThat(intake.fault().orElseThrow()).contains("offset " + first);
    }

    @Test
    void knowsForHowLongNothingCameOfAUnitThatHasBegun() {
        sent.unit(5_000);
        List<FeedFrame> frames = frames(1_024);
        assertThat(intake.unfinishedMs(100)).isZero();
        intake.received(frames.get(0).header(), frames.get(0).bytes(), 200);
        assertThat(intake.unfinishedMs(500)).isEqualTo(300);
        frames.subList(1, frames.size()).forEach(this::receive);
        assertThat(intake.unfinishedMs(900)).isZero();
    }
}
