package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.FeatureLevel;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.LogHead;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.FrameDraft;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.log.SegmentLease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class LogLoopTest {
    private final HandClock clock = new HandClock();
    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private final List<AppendResult> factResults = new ArrayList<>();
    private LogRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new LogRig(disk, clock, new Random(2), FlushMode.SYNC);
        rig.settle();
    }

    @Test
    void nothingIsAcknowledgedOrReadableBeforeItIsSynced() {
        Sent sent = rig.send("topic", 0, "hello");
        rig.stepLog();
        rig.stepLog();
        assertThat(sent.result()).isNull();
        assertThat(rig.log().confirmOffset()).isLessThan(rig.log().endOffset());
        assertThat(rig.log().lease(rig.log().confirmOffset(), 100)).isNull();
        rig.stepFlusher();
        assertThat(sent.result()).isNull();
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.log().confirmOffset()).isEqualTo(sent.request().endOffset());
    }

    @Test
    void requestsThatCameTogetherShareOneForce() {
        int before = disk.forces();
        List<Sent> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add(rig.send("topic", i % 4, "m" + i));
        }
        rig.stepLog();
        rig.stepFlusher();
        rig.stepLog();
        assertThat(disk.forces() - before).isEqualTo(1);
        assertThat(all).allMatch(sent -> sent.result() == AppendResult.APPENDED && sent.completions() == 1);
        assertThat(all.stream().map(sent -> sent.request().queueOffset())).contains(0L, 9L);
    }

    @Test
    void whoDoesNotWaitForTheStoreIsAnsweredAtAppend() {
        Sent sent = rig.send("topic", 0, false, "fast");
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.log().confirmOffset()).isLessThan(sent.request().endOffset());
    }

    @Test
    void aSlowForceAnswersFlushTimeoutAndTheMessageStaysInTheLog() throws IOException {
        Sent sent = rig.send("topic", 0, "slow");
        rig.stepLog();
        rig.stepLog();
        assertThat(rig.engine().logLoop().nextDeadlineMs()).isEqualTo(clock.monotonicMs() + 1_000);
        clock.pass(1_000);
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.FLUSH_TIMEOUT);
        rig.settle();
        assertThat(sent.completions()).isEqualTo(1);
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("slow");
    }

    @Test
    void aFailedForceEndsAcknowledgingForGood() {
        Sent before = rig.send("topic", 0, "before");
        rig.settle();
        Sent pending = rig.send("topic", 0, "pending");
        disk.failForces(1);
        rig.settle();
        assertThat(before.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(pending.result()).isEqualTo(AppendResult.OUTCOME_UNKNOWN);
        assertThat(rig.faults()).hasSize(1);
        Sent after = rig.send("topic", 0, "after");
        rig.settle();
        assertThat(after.result()).isEqualTo(AppendResult.NOT_WRITABLE);
        assertThat(rig.faults()).hasSize(1);
        assertThat(rig.log().confirmOffset()).isEqualTo(before.request().endOffset());
    }

    @Test
    void aWriteThatFailsEndsAcknowledgingForGood() {
        Sent before = rig.send("topic", 0, "before");
        rig.settle();
        disk.failWrites(1);
        Sent failed = rig.send("topic", 0, "failed");
        rig.settle();
        Sent after = rig.send("topic", 0, "after");
        rig.settle();
        assertThat(List.of(before, failed, after))
                .extracting(Sent::result)
                .containsExactly(AppendResult.APPENDED, AppendResult.OUTCOME_UNKNOWN, AppendResult.NOT_WRITABLE);
        assertThat(rig.faults()).hasSize(1);
        assertThat(rig.log().confirmOffset()).isEqualTo(before.request().endOffset());
    }

    @Test
    void theEndBehindAFailedWriteIsNeverMarkedClean() throws IOException {
        Sent before = rig.send("topic", 0, "before");
        rig.settle();
        disk.failWrites(1);
        Sent failed = rig.send("topic", 0, "failed");
        rig.settle();
        assertThat(failed.result()).isEqualTo(AppendResult.OUTCOME_UNKNOWN);
        rig.closeClean();
        rig.reopen();
        assertThat(rig.engine().report().clean()).isFalse();
        assertThat(rig.engine().report().endOffset()).isEqualTo(before.request().endOffset());
    }

    @Test
    void aFullInboxAnswersBusyAtOnceAndKeepsRoomForFacts() {
        List<Sent> all = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            all.add(rig.send("topic", 0, "m" + i));
        }
        long busy =
                all.stream().filter(sent -> sent.result() == AppendResult.BUSY).count();
        assertThat(busy).isEqualTo(80 - 56);
        List<AppendResult> facts = new ArrayList<>();
        FactSink sink = new FactSink(rig.engine().gate(), clock);
        sink.append(new FeatureLevel(1), (result, end) -> facts.add(result));
        assertThat(facts).isEmpty();
        rig.settle();
        assertThat(facts).containsExactly(AppendResult.APPENDED);
        assertThat(all.stream().filter(sent -> sent.result() == AppendResult.APPENDED))
                .hasSize(56);
    }

    @Test
    void aBurstBeyondTheChunkMemoryWaitsUpToTheInboxLimitAndKeepsItsOrder() {
        List<Sent> waiting = new ArrayList<>();
        Sent last = rig.send("topic", 0, "x".repeat(8_000));
        while (last.result() == null) {
            waiting.add(last);
            last = rig.send("topic", 0, "x".repeat(8_000));
        }
        assertThat(last.result()).isEqualTo(AppendResult.BUSY);
        // 256 KiB may wait, an eighth of it is for facts; the chunk memory of 64 KiB alone would take 8
        assertThat(waiting).hasSizeBetween(26, 28);
        rig.settle();
        assertThat(waiting).extracting(Sent::result).containsOnly(AppendResult.APPENDED);
        assertThat(waiting.stream().map(sent -> sent.request().queueOffset())).isSorted();
        assertThat(rig.send("topic", 0, "x".repeat(8_000)).result()).isNull();
    }

    @Test
    void aUnitLargerThanTheLimitIsRefused() {
        assertThat(rig.send("topic", 0, "x".repeat(LogRig.SEGMENT_BYTES / 2)).result())
                .isEqualTo(AppendResult.TOO_LARGE);
    }

    @Test
    void whatTheBrokerStoresItselfIsBoundByTheSegmentAndNotByTheSizeOfMessages() throws IOException {
        rig.closeClean();
        LogLoopConfig other = LogRig.config(FlushMode.SYNC, 64, 256 * 1024);
        rig.reopen(new LogLoopConfig(
                other.segmentSizeBytes(),
                other.flushMode(),
                other.syncFlushTimeoutMs(),
                1_000,
                other.inboxRequests(),
                other.inboxBytes(),
                other.chunkBytes(),
                other.fillAheadBytes(),
                other.space()));
        assertThat(rig.send("topic", 0, "x".repeat(2_000)).result()).isEqualTo(AppendResult.TOO_LARGE);
        for (int i = 0; i < 3; i++) {
            assertThat(own(LogRig.SEGMENT_BYTES / 2)).isEqualTo(AppendResult.APPENDED);
        }
        assertThat(own(LogRig.SEGMENT_BYTES)).isEqualTo(AppendResult.TOO_LARGE);
        assertThat(rig.messages()).hasSize(3);
        assertThat(rig.faults()).isEmpty();
    }

    @Test
    void aFrameOfTheBrokersOwnIsNotDatedWhenTheBatchBegan() throws IOException {
        rig.send("topic", 0, "the first of the batch");
        FrameDraft draft = new FrameDraft()
                .topic("delivered".getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.wrap("due meanwhile".getBytes(StandardCharsets.UTF_8)));
        new FactSink(rig.engine().gate(), clock)
                .append("delivered", 0, draft, FactSink.Room.ORDINARY, (result, end, queueOffset) -> {});
        clock.lookTakesMs(10);
        rig.settle();
        List<StoredFrame> stored = rig.messages();
        assertThat(stored).extracting(StoredFrame::topic).containsExactly("topic", "delivered");
        assertThat(stored.get(1).storeTimestampMs())
                .isGreaterThanOrEqualTo(stored.get(0).storeTimestampMs() + 10);
    }

    /** How the append of a frame of the broker's own ends. */
    private AppendResult own(int bodyBytes) {
        FrameDraft draft = new FrameDraft()
                .topic("waiting".getBytes(StandardCharsets.UTF_8))
                .body(ByteBuffer.allocate(bodyBytes));
        List<AppendResult> results = new ArrayList<>();
        new FactSink(rig.engine().gate(), clock)
                .append("waiting", 0, draft, FactSink.Room.RESERVE, (result, end, queueOffset) -> results.add(result));
        rig.settle();
        assertThat(results).hasSize(1);
        return results.get(0);
    }

    @Test
    void aUnitThatIsNotMadeOfWholeFramesIsAProgrammingError() {
        Appender appender = rig.engine().gate().newAppender(Runnable::run);
        ByteBuffer space = appender.reserve(200);
        assertThat(space).isNotNull();
        assertThatThrownBy(() -> appender.submit(new AppendRequest("topic", 0, 1, true, (request, result) -> {})))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("whole frames");
    }

    @Test
    void shortSpaceRefusesMessagesButTakesFacts() {
        rig.engine().gate().diskFull(true);
        assertThat(rig.send("topic", 0, "m").result()).isEqualTo(AppendResult.DISK_FULL);
        List<AppendResult> facts = new ArrayList<>();
        new FactSink(rig.engine().gate(), clock).append(new FeatureLevel(1), (result, end) -> facts.add(result));
        rig.settle();
        assertThat(facts).containsExactly(AppendResult.APPENDED);
        rig.engine().gate().diskFull(false);
        assertThat(rig.send("topic", 0, "m").result()).isNull();
    }

    @Test
    void shortSpaceRefusesFramesOfTheBrokerButTakesCarriedCopies() throws IOException {
        List<String> ends = new ArrayList<>();
        rig.engine().gate().diskFull(true);
        frame("waits", FactSink.Room.ORDINARY, ends);
        frame("carried", FactSink.Room.RESERVE, ends);
        rig.settle();
        rig.engine().gate().diskFull(false);
        frame("now", FactSink.Room.ORDINARY, ends);
        rig.settle();
        assertThat(ends)
                .containsExactly(
                        "waits DISK_FULL queueOffset=-1",
                        "carried APPENDED queueOffset=0",
                        "now APPENDED queueOffset=1");
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("carried", "now");
    }

    private void frame(String body, FactSink.Room room, List<String> ends) {
        FrameDraft draft = new FrameDraft()
                .topic("topic".getBytes(StandardCharsets.US_ASCII))
                .queueId(2)
                .body(ByteBuffer.wrap(body.getBytes(StandardCharsets.US_ASCII)));
        new FactSink(rig.engine().gate(), clock)
                .append(
                        "topic",
                        2,
                        draft,
                        room,
                        (result, end, queueOffset) -> ends.add(body + " " + result + " queueOffset=" + queueOffset));
    }

    @Test
    void freeSpaceIsWatchedAndWritingResumesByItself() {
        rig.stepPreparer(); // the ballast is there
        clock.pass(2_000);
        disk.freeBytes(1000);
        rig.send("topic", 0, "m");
        rig.settle();
        rig.stepPreparer();
        assertThat(rig.engine().gate().isDiskFull()).isTrue();
        disk.freeBytes(1L << 30);
        clock.pass(2_000);
        rig.stepPreparer();
        assertThat(rig.engine().gate().isDiskFull()).isFalse();
    }

    @Test
    void everySegmentBeginsWithAHeadThatRestatesLogAndEpoch() throws Exception {
        for (int i = 0; i < 30; i++) {
            rig.send("topic", 0, "x".repeat(7_000));
            rig.settle();
        }
        assertThat(rig.log().segments()).hasSizeGreaterThan(2);
        List<LogHead> heads = new ArrayList<>();
        LogReader reader = new LogReader(rig.log(), 0);
        MessageFrame frame = new MessageFrame();
        while (reader.next()) {
            Fact fact = FactCodec.decode(frame.wrap(reader.buffer(), reader.framePosition()));
            if (fact instanceof LogHead head) {
                assertThat(reader.frameOffset() % LogRig.SEGMENT_BYTES).isZero();
                heads.add(head);
            }
        }
        assertThat(heads).hasSize(rig.log().segments().size());
        assertThat(heads).allMatch(head -> head.equals(heads.get(0)));
        assertThat(heads.get(0).segmentSizeBytes()).isEqualTo(LogRig.SEGMENT_BYTES);
    }

    @Test
    void everyStartBeginsANewEpochAndAnotherSegmentSizeIsIgnored() throws IOException {
        long logId = rig.log().logId();
        rig.closeClean();
        LogLoopConfig other = LogRig.config(FlushMode.SYNC, 64, 256 * 1024);
        rig.reopen(new LogLoopConfig(
                1 << 20,
                other.flushMode(),
                other.syncFlushTimeoutMs(),
                other.maxUnitBytes(),
                other.inboxRequests(),
                other.inboxBytes(),
                other.chunkBytes(),
                other.fillAheadBytes(),
                other.space()));
        rig.settle();
        assertThat(rig.log().segmentSizeBytes()).isEqualTo(LogRig.SEGMENT_BYTES);
        assertThat(rig.log().logId()).isEqualTo(logId);
        assertThat(rig.log().epoch()).isEqualTo(2);
        assertThat(rig.engine().report().clean()).isTrue();
    }

    @Test
    void aBatchLiesInOneSegmentWithConsecutiveOffsets() {
        for (int i = 0; i < 12; i++) {
            String part = "y".repeat(3_000);
            Sent batch = rig.send("topic", 2, part, part, part);
            rig.settle();
            AppendRequest done = batch.request();
            assertThat(done.queueOffset()).isEqualTo(3L * i);
            assertThat(done.physicalOffset(0) / LogRig.SEGMENT_BYTES)
                    .isEqualTo((done.endOffset() - 1) / LogRig.SEGMENT_BYTES);
            assertThat(done.physicalOffset(1)).isGreaterThan(done.physicalOffset(0));
        }
    }

    @Test
    void aDeletedTopicBeginsAgainAtZero() {
        rig.send("topic", 0, "one");
        fact(new TopicDeleted("topic"));
        fact(new TopicChanged(TopicConfig.of("topic", 1, 6)));
        Sent after = rig.send("topic", 0, "two");
        rig.settle();
        assertThat(after.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(after.request().queueOffset()).isZero();
    }

    private void fact(Fact fact) {
        new FactSink(rig.engine().gate(), clock).append(fact, (result, end) -> factResults.add(result));
    }

    @Test
    void whatComesBehindADeletionIsRefusedBeforeTheDeletionIsDurable() throws IOException {
        rig.send("topic", 0, "before");
        fact(new TopicDeleted("topic"));
        Sent waiting = rig.send("topic", 0, "behind");
        Sent hasty = rig.send("topic", 1, false, "behind, too");
        Sent other = rig.send("other", 0, "elsewhere");
        rig.stepLog();
        assertThat(waiting.result()).isEqualTo(AppendResult.TOPIC_DELETED);
        assertThat(hasty.result()).isEqualTo(AppendResult.TOPIC_DELETED);
        Sent later = rig.send("topic", 0, "much later");
        fact(new QueueEnds("topic", Map.of(0, 1L)));
        rig.settle();
        assertThat(other.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(later.result()).isEqualTo(AppendResult.TOPIC_DELETED);
        assertThat(factResults).containsExactly(AppendResult.TOPIC_DELETED, AppendResult.APPENDED);
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("before", "elsewhere");
    }

    @Test
    void aDeletedTopicStaysClosedOverRestartsUntilItIsCreatedAgain() throws IOException {
        fact(new TopicDeleted("topic"));
        fact(new TopicDeleted("%RETRY%group"));
        rig.settle();
        rig.closeClean();
        rig.reopen();
        Sent refused = rig.send("topic", 0, "behind");
        rig.settle();
        assertThat(refused.result()).isEqualTo(AppendResult.TOPIC_DELETED);
        fact(new TopicChanged(TopicConfig.of("topic", 1, 6)));
        fact(new GroupChanged(SubscriptionGroupConfig.of("group"), TopicConfig.of("%RETRY%group", 1, 6), List.of()));
        Sent taken = rig.send("topic", 0, "new");
        Sent retried = rig.send("%RETRY%group", 0, "retried");
        rig.settle();
        assertThat(taken.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(retried.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("new", "retried");
    }

    @Test
    void aUnitTooLargeForTheSegmentsAtHandIsRefusedWhateverSizeIsSetNow() throws IOException {
        rig.closeClean();
        LogLoopConfig other = LogRig.config(FlushMode.SYNC, 64, 4 << 20);
        rig.reopen(new LogLoopConfig(
                1 << 20,
                other.flushMode(),
                other.syncFlushTimeoutMs(),
                1 << 19,
                other.inboxRequests(),
                other.inboxBytes(),
                other.chunkBytes(),
                other.fillAheadBytes(),
                other.space()));
        rig.settle();
        for (int bodyBytes : List.of(LogRig.SEGMENT_BYTES / 2, LogRig.SEGMENT_BYTES, 2 * LogRig.SEGMENT_BYTES)) {
            Sent tooLarge = rig.send("topic", 0, "x".repeat(bodyBytes));
            rig.settle();
            assertThat(tooLarge.result()).as("%d bytes", bodyBytes).isEqualTo(AppendResult.TOO_LARGE);
        }
        Sent largest = rig.send("topic", 0, "x".repeat(LogRig.SEGMENT_BYTES / 2 - 200));
        rig.settle();
        assertThat(largest.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.faults()).isEmpty();
    }

    @Test
    void bytesThatAreWrittenAreLetGoBeforeTheyAreFlushed() {
        OneOffSpace space = new OneOffSpace(1 << 20);
        AppendRequest request = new AppendRequest("topic", 0, 1, true, (done, result) -> {});
        request.bind(Objects.requireNonNull(space.reserve(1000)), 0, 1000, space, 0);
        request.releaseSpace();
        assertThatThrownBy(request::memory)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no bytes");
        assertThatThrownBy(() -> request.bind(ByteBuffer.allocate(1), 0, 1, space, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("twice");
    }

    @Test
    void storeTimestampsNeverFall() throws IOException {
        rig.send("topic", 0, "a");
        rig.settle();
        clock.jump(-60_000);
        rig.send("topic", 0, "b");
        rig.settle();
        rig.closeClean();
        rig.reopen();
        rig.settle();
        rig.send("topic", 0, "c");
        rig.settle();
        assertThat(rig.messages()).extracting(StoredFrame::storeTimestampMs).isSorted();
    }

    @Test
    void aLeasedSegmentIsDeletedOnlyAfterTheLeaseIsGivenBack() throws IOException {
        for (int i = 0; i < 30; i++) {
            rig.send("topic", 0, "x".repeat(7_000));
            rig.settle();
        }
        SegmentLease lease = Objects.requireNonNull(rig.log().lease(0, 100));
        long start = rig.log().trimTo(2L * LogRig.SEGMENT_BYTES);
        assertThat(start).isEqualTo(2L * LogRig.SEGMENT_BYTES);
        assertThat(rig.log().lease(0, 100)).isNull();
        assertThat(disk.exists("commitlog/00000000000000000000")).isTrue();
        assertThat(lease.bytes().getInt(0)).isPositive();
        lease.release();
        assertThatThrownBy(lease::release).isInstanceOf(IllegalStateException.class);
        clock.pass(2_000);
        rig.stepPreparer();
        assertThat(disk.exists("commitlog/00000000000000000000")).isFalse();
        assertThat(rig.messages()).isNotEmpty();
    }

    @Test
    void theNextSegmentIsPreparedBeforeItIsNeeded() {
        for (int i = 0; i < 5; i++) {
            rig.send("topic", 0, "x".repeat(7_000));
            rig.settle();
        }
        for (int i = 0; i < 20; i++) {
            clock.pass(10);
            rig.stepPreparer();
        }
        assertThat(disk.exists("commitlog/00000000000000065536")).isTrue();
        assertThat(rig.log().segments()).hasSize(1);
    }

    @Test
    void anIdleLogSleeps() {
        rig.send("topic", 0, "m");
        rig.settle();
        for (int i = 0; i < 100; i++) {
            clock.pass(100);
            rig.settle();
            rig.stepPreparer();
        }
        assertThat(rig.engine().logLoop().nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
        assertThat(rig.engine().flusher().nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
        assertThat(rig.engine().preparer().nextDeadlineMs()).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void asynchronousFlushIsConfirmedAtAppendAndDurableWithinHalfASecond() throws IOException {
        CrashingDisk other = new CrashingDisk(new Random(7));
        LogRig async = new LogRig(other, clock, new Random(8), FlushMode.ASYNC);
        Sent sent = async.send("topic", 0, "m");
        async.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.APPENDED);
        async.stepFlusher();
        assertThat(async.engine().flusher().nextDeadlineMs()).isLessThanOrEqualTo(clock.monotonicMs() + 500);
        clock.pass(500);
        async.stepFlusher();
        async.stepLog();
        assertThat(async.log().syncedOffset()).isEqualTo(sent.request().endOffset());
    }
}
