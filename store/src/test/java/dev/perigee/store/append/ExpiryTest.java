package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.disk.CrashingDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What waits in front of the log for longer than its sender does is not appended; but only where others are to blame. */
final class ExpiryTest {
    private static final long WAITS_MS = 200;

    private final HandClock clock = new HandClock();
    private LogRig rig;

    @BeforeEach
    void open() throws IOException {
        rig = new LogRig(new CrashingDisk(new Random(1)), clock, new Random(2), FlushMode.ASYNC);
        rig.senderWaitsMs(WAITS_MS);
        rig.settle();
    }

    /** After a start that may have lost a tail nothing is taken before the first force is through. */
    private void beginBehindAForce() throws IOException {
        rig.bootId(2);
        rig.reopen();
        rig.stepLog();
    }

    @Test
    void whileTheDiskIsBehindWhoWaitedTooLongIsToldSoAtOnce() throws IOException {
        beginBehindAForce();
        Sent sent = rig.send("topic", 0, "too late");
        rig.stepLog();
        assertThat(rig.engine().logLoop().nextDeadlineMs()).isEqualTo(clock.monotonicMs() + WAITS_MS + 1);
        clock.pass(WAITS_MS);
        rig.stepLog();
        assertThat(sent.result()).isNull();
        clock.pass(1);
        rig.stepLog();
        assertThat(sent.result()).isEqualTo(AppendResult.EXPIRED);
        assertThat(rig.engine().logLoop().nextDeadlineMs()).isGreaterThan(clock.monotonicMs() + WAITS_MS + 1);

        clock.pass(500); // the flusher's delay
        rig.stepFlusher();
        Sent next = rig.send("topic", 0, "in time");
        rig.settle();
        assertThat(next.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(sent.completions()).isEqualTo(1);
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("in time");
    }

    @Test
    void whatWaitedBehindTheDiskTooLongIsNotAppendedWhenItMovesAgain() throws IOException {
        beginBehindAForce();
        Sent late = rig.send("topic", 0, "late");
        rig.stepLog();
        clock.pass(WAITS_MS + 1);
        rig.stepFlusher();
        rig.stepLog();
        rig.settle();
        assertThat(late.result()).isEqualTo(AppendResult.EXPIRED);
        assertThat(rig.messages()).isEmpty();
    }

    @Test
    void factsKeepTheirTurnAndHideNobodyBehindThem() throws IOException {
        beginBehindAForce();
        List<AppendResult> facts = new ArrayList<>();
        FactSink sink = new FactSink(rig.engine().gate(), clock);
        Sent first = rig.send("topic", 0, "first");
        sink.append(new TopicChanged(TopicConfig.of("made", 4)), (result, end) -> facts.add(result));
        clock.pass(1);
        Sent second = rig.send("made", 0, "second");
        clock.pass(WAITS_MS);
        rig.stepLog();
        assertThat(first.result()).isEqualTo(AppendResult.EXPIRED);
        assertThat(second.result()).isNull();
        assertThat(facts).isEmpty();
        clock.pass(1);
        rig.stepLog();
        assertThat(second.result()).isEqualTo(AppendResult.EXPIRED);

        Sent third = rig.send("made", 0, "third");
        clock.pass(WAITS_MS);
        rig.stepLog();
        clock.pass(250); // the flusher's delay
        rig.stepFlusher();
        rig.settle();
        assertThat(facts).containsExactly(AppendResult.APPENDED);
        assertThat(third.result()).isEqualTo(AppendResult.EXPIRED);
    }

    @Test
    void aSendThatIsLateAlthoughNothingQueuedIsAppended() throws IOException {
        Sent late = rig.send("topic", 0, "late");
        clock.pass(60_000);
        rig.settle();
        assertThat(late.result()).isEqualTo(AppendResult.APPENDED);
        assertThat(rig.messages()).extracting(StoredFrame::body).containsExactly("late");
    }

    @Test
    void behindManyOthersAllThatWaitedTooLongAreRefusedAndTheirSpaceComesBack() throws IOException {
        for (int round = 0; round < 20; round++) {
            List<Sent> all = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                all.add(rig.send("topic", 0, "m".repeat(500)));
            }
            clock.pass(WAITS_MS + 1);
            rig.settle();
            assertThat(all).allMatch(sent -> sent.result() == AppendResult.EXPIRED && sent.completions() == 1);
        }
        assertThat(rig.messages()).isEmpty();
    }

    @Test
    void behindManyOthersWhoStillWaitsIsServed() throws IOException {
        List<Sent> all = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            all.add(rig.send("topic", 0, "m" + i));
        }
        clock.pass(WAITS_MS);
        rig.settle();
        assertThat(all).allMatch(sent -> sent.result() == AppendResult.APPENDED);
    }
}
