package dev.perigee.broker.offset;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.AskedStep;
import dev.perigee.broker.MemoryConnections;
import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.call.Answer;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.queue.QueueConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whatever many clients ask at once, what waits here is bounded, and the one too many is told so. */
class OffsetCommitsTest {
    /** Stands still until it is turned. */
    private static final class TurnedClock implements Clock {
        private long nowMs;

        @Override
        public long wallMs() {
            return nowMs;
        }

        @Override
        public long monotonicNs() {
            return nowMs * 1_000_000L;
        }
    }

    private final TurnedClock clock = new TurnedClock();
    private final FactDesk desk = new FactDesk((fact, listener) -> {}, LevelLog.EMPTY, () -> {});
    private final OffsetCommits commits = new OffsetCommits(
            new OffsetView(Claims.NONE),
            new TopicView(Claims.NONE),
            new ConsumeQueueView(new CrashingDisk(new Random(1)), QueueConfig.DEFAULT, (offset, sizeBytes) -> 0),
            desk,
            (fact, listener) -> {},
            clock);

    private final MemoryConnections connections;
    private final Connection reader;
    private final Holders online;

    OffsetCommitsTest() throws Exception {
        connections = new MemoryConnections(2);
        reader = connections.get(0);
        online = new Holders(List.of(reader));
    }

    private AskedStep flushing() throws Exception {
        return new AskedStep(reply -> commits.flush(reply, () -> reply.ok(NoHeader.NONE)));
    }

    private AskedStep resetting(List<QueueCommit> wishes, Holders holders) throws Exception {
        return new AskedStep(reply -> commits.reset(wishes, holders, reply, () -> reply.ok(NoHeader.NONE)));
    }

    /** Sets offsets that are logged before anybody pulls. */
    private void reset(List<QueueCommit> wishes, Holders holders) throws Exception {
        assertThat(resetting(wishes, holders).ask()).isNotDone();
        wishes.forEach(wish -> commits.resets().logged(GroupQueue.of(wish), wish.offset()));
    }

    /** Of group g in so many queues of topic T. */
    private static List<QueueCommit> wishes(int queues, long offset) {
        return IntStream.range(0, queues)
                .mapToObj(queueId -> new QueueCommit("g", "T", queueId, offset))
                .toList();
    }

    private void fillBut(int room) {
        for (int queueId = 0; queueId < PendingCommits.MAX - room; queueId++) {
            assertThat(commits.set("full", "T", queueId, 1, reader)).isEqualTo(CommitOutcome.TAKEN);
        }
    }

    @Test
    void commitsOfTooManyQueuesAreRefusedButThoseThatWaitAlreadyMayChange() {
        fillBut(0);
        assertThat(commits.set("g", "T", 0, 1, reader)).isEqualTo(CommitOutcome.BUSY);
        assertThat(commits.set("full", "T", 7, 2, reader)).isEqualTo(CommitOutcome.TAKEN);
        assertThat(commits.newest("full", "T", 7)).isEqualTo(2);
        commits.forgetTopic("T");
        assertThat(commits.set("g", "T", 0, 1, reader)).isEqualTo(CommitOutcome.TAKEN);
    }

    @Test
    void tooManyRequestsThatWaitForTheLogAreAnsweredBusy() throws Exception {
        AskedStep flush = flushing();
        List<CompletableFuture<Answer<NoHeader>>> answers = new ArrayList<>();
        for (int i = 0; i <= FlushWaiters.MAX_WAITING; i++) {
            answers.add(flush.ask());
        }
        assertThat(answers.get(0)).isNotDone();
        assertThat(answers.get(FlushWaiters.MAX_WAITING)).isDone();
        Answer<NoHeader> refused = answers.get(FlushWaiters.MAX_WAITING).get();
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(refused.remarkText()).contains("too many offsets");

        commits.doWork(0);
        flush.settle();
        assertThat(answers).allMatch(CompletableFuture::isDone);
        assertThat(answers.get(0).get().code()).isZero();
    }

    @Test
    void whoAsksForWhatIsCommittedWaitsWhileAChangeOfTheGroupIsOnItsWay() throws Exception {
        desk.hold(FactKeys.group("g"));
        assertThat(commits.set("g", "T", 0, 1, reader)).isEqualTo(CommitOutcome.TAKEN);
        AskedStep flush = flushing();
        CompletableFuture<Answer<NoHeader>> answer = flush.ask();
        assertThat(commits.doWork(1)).as("nothing to do again and again").isZero();
        flush.settle();
        assertThat(answer).isNotDone();
        desk.letGo(FactKeys.group("g"));
        commits.doWork(2);
        flush.settle();
        assertThat(answer).isDone();
    }

    @Test
    void aToolSetsAllQueuesOrNoneWhenThereIsRoomForSomeOnly() throws Exception {
        fillBut(3);
        Answer<NoHeader> refused = resetting(wishes(4, 7), online).answer();
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(refused.remarkText()).contains("4 more", "limit " + PendingCommits.MAX);
        for (int queueId = 0; queueId < 4; queueId++) {
            assertThat(commits.newest("g", "T", queueId)).isEqualTo(-1);
            assertThat(commits.resets().isPending("g", "T", queueId)).isFalse();
        }
        assertThat(resetting(wishes(3, 7), online).ask()).isNotDone();
        assertThat(commits.newest("g", "T", 2)).isEqualTo(7);
    }

    @Test
    void aToolSetsNothingWhenItCannotWaitForTheLog() throws Exception {
        AskedStep flush = flushing();
        for (int i = 0; i < FlushWaiters.MAX_WAITING; i++) {
            assertThat(flush.ask()).isNotDone();
        }
        assertThat(resetting(wishes(2, 7), online).answer().code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(commits.newest("g", "T", 0)).isEqualTo(-1);
        assertThat(commits.resets().isPending("g", "T", 0)).isFalse();
    }

    @Test
    void commitsOfMembersThatDoNotKnowOfAResetAreNotObeyed() throws Exception {
        reset(wishes(1, 3), online);
        assertThat(commits.set("g", "T", 0, 9, reader)).isEqualTo(CommitOutcome.RESET_PENDING);
        assertThat(commits.newest("g", "T", 0)).isEqualTo(3);
        assertThat(commits.set("other", "T", 0, 9, reader)).isEqualTo(CommitOutcome.TAKEN);

        assertThat(commits.resets().take("g", "T", 0, 9, reader)).isEqualTo(3);
        assertThat(commits.set("g", "T", 0, 9, reader))
                .as("sent before the answer was read")
                .isEqualTo(CommitOutcome.RESET_PENDING);
        assertThat(commits.resets().take("g", "T", 0, 3, reader)).isEqualTo(PendingResets.NONE);
        assertThat(commits.set("g", "T", 0, 4, reader)).isEqualTo(CommitOutcome.TAKEN);
        assertThat(commits.newest("g", "T", 0)).isEqualTo(4);
        assertThat(commits.resets().take("g", "T", 0, 4, reader)).isEqualTo(PendingResets.NONE);
    }

    @Test
    void aResetOfAQueueThatIsGoneIsRefusedAndForgotten() throws Exception {
        AskedStep reset = resetting(wishes(1, 3), online);
        CompletableFuture<Answer<NoHeader>> answer = reset.ask();
        commits.doWork(0); // there is no such topic
        reset.settle();
        assertThat(answer).isDone();
        assertThat(answer.get().code()).isEqualTo(ResponseCode.INVALID_PARAMETER);
        assertThat(commits.resets().isEmpty()).isTrue();
        assertThat(commits.set("g", "T", 0, 9, reader)).isEqualTo(CommitOutcome.TAKEN);
    }

    /** What it set may lie behind the place that was looked at already. */
    @Test
    void whoAsksWhileTheRestIsLookedThroughWaitsForTheNextRound() {
        FlushWaiters waiters = new FlushWaiters();
        List<String> over = new ArrayList<>();
        waiters.ask(() -> over.add("before"));
        waiters.gather();
        waiters.ask(() -> over.add("meanwhile"));
        long fact = waiters.begin();
        waiters.take();
        waiters.run();
        assertThat(over).isEmpty();
        waiters.end(fact);
        waiters.run();
        assertThat(over).containsExactly("before");
        assertThat(waiters.isAsked()).isTrue();
        waiters.gather();
        waiters.take();
        waiters.run();
        assertThat(over).containsExactly("before", "meanwhile");
    }

    /** It would commit the new offset also when a crash has undone the reset. */
    @Test
    void nobodyIsToldOfAResetBeforeItIsLogged() throws Exception {
        assertThat(resetting(wishes(1, 3), online).ask()).isNotDone();
        assertThat(commits.resets().isPending("g", "T", 0)).isFalse();
        assertThat(commits.resets().take("g", "T", 0, 9, reader)).isEqualTo(PendingResets.NONE);
        assertThat(commits.set("g", "T", 0, 9, reader)).isEqualTo(CommitOutcome.RESET_PENDING);
        assertThat(resetting(wishes(1, 2), online).ask()).isNotDone();
        commits.resets().logged(new GroupQueue("g", "T", 0), 3);
        assertThat(commits.resets().take("g", "T", 0, 9, reader))
                .as("of the second one")
                .isEqualTo(PendingResets.NONE);
        commits.resets().logged(new GroupQueue("g", "T", 0), 2);
        assertThat(commits.resets().isPending("g", "T", 0)).isTrue();
        assertThat(commits.resets().take("g", "T", 0, 9, reader)).isEqualTo(2);
    }

    @Test
    void whoWasToldOfAResetIsNotObeyedUntilItPullsButOthersAre() throws Exception {
        Connection other = connections.get(1);
        reset(wishes(1, 3), online);
        assertThat(commits.resets().take("g", "T", 0, 9, reader)).isEqualTo(3);
        assertThat(commits.resets().isPending("g", "T", 0))
                .as("somebody was told")
                .isFalse();
        assertThat(commits.resets().take("g", "T", 0, 3, other)).isEqualTo(PendingResets.NONE);
        assertThat(commits.set("g", "T", 0, 5, other)).isEqualTo(CommitOutcome.TAKEN);
        assertThat(commits.set("g", "T", 0, 9, reader)).isEqualTo(CommitOutcome.RESET_PENDING);

        reset(wishes(1, 2), online);
        assertThat(commits.resets().take("g", "T", 0, 3, reader))
                .as("of the next one")
                .isEqualTo(2);
    }

    @Test
    void whatAClosedConnectionWasToldIsForgottenWhenAnotherGoesOnFromThere() throws Exception {
        reset(wishes(1, 3), online);
        assertThat(commits.resets().take("g", "T", 0, 9, reader)).isEqualTo(3);
        connections.close(0);
        commits.resets().sweep();
        assertThat(commits.resets().count())
                .as("the answer may be lost with its connection")
                .isEqualTo(1);
        assertThat(commits.resets().take("g", "T", 0, 9, connections.get(1))).isEqualTo(3);
        assertThat(commits.resets().take("g", "T", 0, 3, connections.get(1))).isEqualTo(PendingResets.NONE);
        commits.resets().sweep();
        assertThat(commits.resets().count()).isZero();
    }

    @Test
    void aResetThatNobodyPullsIsForgottenADayLaterUnlessAMemberOfThenIsStillThere() throws Exception {
        reset(wishes(1, 3), online);
        reset(List.of(new QueueCommit("offline", "T", 0, 3)), Holders.NONE);
        clock.nowMs += PendingResets.KEEP_MS;
        commits.resets().sweep();
        assertThat(commits.resets().count()).isEqualTo(2);

        clock.nowMs++;
        commits.resets().sweep();
        assertThat(commits.resets().isPending("offline", "T", 0)).isFalse();
        assertThat(commits.resets().isPending("g", "T", 0))
                .as("it has paused the queue")
                .isTrue();

        connections.close(0);
        commits.resets().sweep();
        assertThat(commits.resets().isEmpty()).isTrue();
        assertThat(commits.newest("g", "T", 0)).as("the reset stays").isEqualTo(3);
    }

    @Test
    void aResetWithoutMembersIsNewsOnlyToWhoAsksForAnotherOffset() throws Exception {
        reset(wishes(2, 3), Holders.NONE);
        assertThat(commits.resets().take("g", "T", 0, 3, reader)).isEqualTo(PendingResets.NONE);
        assertThat(commits.resets().take("g", "T", 1, 9, reader)).isEqualTo(3);
        assertThat(commits.resets().isPending("g", "T", 0)).isFalse();
        assertThat(commits.resets().isPending("g", "T", 1)).isFalse();
    }

    @Test
    void ofTwoResetsTheLastOneCounts() throws Exception {
        reset(wishes(1, 3), online);
        reset(wishes(1, 5), online);
        assertThat(commits.newest("g", "T", 0)).isEqualTo(5);
        assertThat(commits.resets().take("g", "T", 0, 9, reader)).isEqualTo(5);
    }

    @Test
    void aTopicThatGoesTakesItsResetsAlong() throws Exception {
        assertThat(resetting(wishes(1, 3), online).ask()).isNotDone();
        commits.forgetTopic("T");
        assertThat(commits.resets().isPending("g", "T", 0)).isFalse();
        assertThat(resetting(wishes(1, 3), online).ask()).isNotDone();
        commits.forgetGroup("g");
        assertThat(commits.resets().take("g", "T", 0, 9, reader)).isEqualTo(PendingResets.NONE);
    }

    private void fillResetsBut(int room, Holders holders) {
        for (int queueId = 0; queueId < PendingResets.MAX_QUEUES - room; queueId++) {
            commits.resets().put(new GroupQueue("full", "T", queueId), 1, holders);
        }
    }

    @Test
    void resetsBeyondTheLimitAreRefusedWholeWithTheLimitWhileMembersHaveToBeTold() throws Exception {
        fillResetsBut(1, online);
        Answer<NoHeader> refused = resetting(wishes(2, 3), online).answer();
        assertThat(refused.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(refused.remarkText()).contains("2 more", "limit " + PendingResets.MAX_QUEUES);
        assertThat(commits.newest("g", "T", 0)).isEqualTo(-1);
        assertThat(resetting(wishes(1, 3), online).ask()).isNotDone();
    }

    @Test
    void resetsOfWhichNoConnectedMemberHasToBeToldGiveWayAtTheLimit() throws Exception {
        fillResetsBut(1, Holders.NONE);
        assertThat(resetting(wishes(2, 3), online).ask()).isNotDone();
        assertThat(commits.newest("g", "T", 1)).isEqualTo(3);
        assertThat(commits.resets().count()).isEqualTo(2);
    }
}
