package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** No commit that comes late takes a position back that was told to somebody: three whole brokers on one thread (ADR 0015). */
final class LateCommitsTest {
    private final SteppedMembers members = new SteppedMembers(3, Map.of());
    private final ClientOfMembers first = new ClientOfMembers(members);
    private final ClientOfMembers second = new ClientOfMembers(members);
    private int master;
    private int other;

    LateCommitsTest() throws Exception {}

    @BeforeEach
    void begin() throws Exception {
        master = members.masterOfTwoMessages();
        other = (master + 1) % 3;
    }

    private ClientOfMembers client() {
        return new ClientOfMembers(members);
    }

    private void leads(int next) throws Exception {
        assertThat(members.get(members.transferTo(next, members.master())).code())
                .isZero();
        members.until(() -> members.masters().equals(List.of(next)));
    }

    private void reset() throws Exception {
        Answer<?> reset = members.get(members.call(
                master, Rpcs.INVOKE_BROKER_TO_RESET_OFFSET, new ResetOffsetHeader("T", "g", -1, true, 0, 0L), null));
        assertThat(reset.code()).as(reset.remarkText()).isZero();
    }

    /** Its commit of 1 is late or ignorant of the 2 that was told. */
    private void takesNothingBack(ClientOfMembers reader) throws Exception {
        assertThat(reader.commit(master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    private void goesBackOnceItHasAsked(ClientOfMembers reader) throws Exception {
        assertThat(reader.ask(master)).isEqualTo(2);
        assertThat(reader.commit(master, 1).remarkText())
                .as("it knows where the group stands, and goes back")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R9-03: who read a queue in a leadership before says nothing of who reads it now. */
    @Test
    void aMemberThatLeadsAgainTakesACommitOfWhoReadsSinceThen() throws Exception {
        first.heartbeats("c0", master, other);
        second.heartbeats("c1", master, other);
        assertThat(first.pull(master, 0).code()).isZero();
        leads(other);
        assertThat(second.pull(other, 0).code()).isZero();
        assertThat(second.commit(other, 1).remarkText()).isEmpty();
        leads(master);

        assertThat(second.commit(master, 2).remarkText()).isEmpty();

        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    /** Found by the fault rig: a leader that was stopped for seconds had a commit in its connection that was older than those made elsewhere. */
    @Test
    void aCommitThatWaitedAtAMemberMovesNoPositionBack() throws Exception {
        first.heartbeats("c1", master, other);
        assertThat(first.pull(master, 0).code()).isZero();
        assertThat(first.commit(master, 2).remarkText()).isEmpty();

        Answer<NoHeader> late = first.commit(other, 1);

        assertThat(late.code()).isZero();
        assertThat(late.remarkText()).contains("smaller", "another member");
        assertThat(members.position(master, "T")).isEqualTo(2);
        assertThat(first.commit(master, 1).remarkText())
                .as("a reader goes back where it wants to")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R9-02: a commit that raised late is no reason to fall again, when who reads the queue goes on from further below. */
    @Test
    void aReaderThatWasOvertakenByWayOfAMemberDoesNotTakeBackWhatWasTold() throws Exception {
        second.heartbeats("c1", master, other);
        assertThat(second.ask(master)).isZero();
        assertThat(second.pull(master, 0).code()).isZero();
        assertThat(second.commit(master, 1).remarkText()).isEmpty();

        assertThat(first.commit(other, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);
        takesNothingBack(second);

        goesBackOnceItHasAsked(second);
    }

    /** The same of who sends no heartbeats; and whoever has not read here, as a tool, is obeyed. */
    @Test
    void aReaderWithoutHeartbeatsThatWasOvertakenTakesNothingBackAndAToolDoes() throws Exception {
        assertThat(second.pull(master, 0).code()).isZero();
        assertThat(first.commit(other, 2).remarkText()).isEmpty();

        takesNothingBack(second);

        assertThat(client().commit(master, 1).remarkText()).as("a tool's").isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** Its own commit may be the one that came late. */
    @Test
    void whoWentBackHereIsNotMovedBackAgainBehindItsOwnLateCommit() throws Exception {
        first.heartbeats("c0", master, other);
        assertThat(first.pull(master, 0).code()).isZero();
        assertThat(first.ask(master)).isZero();
        assertThat(first.commit(master, 1).remarkText()).isEmpty();
        assertThat(first.commit(other, 2).remarkText()).isEmpty();

        assertThat(first.commit(master, 1).remarkText()).contains("smaller");

        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    /** What was on its way to a leader since a leadership of before. */
    @Test
    void whoIsConnectedSinceBeforeALeadershipTakesNothingBackInItUntilItAsksOrCommits() throws Exception {
        first.heartbeats("c0", master, other);
        assertThat(first.pull(master, 0).code()).isZero();
        assertThat(second.pull(master, 0).code()).isZero();
        leads(other);
        assertThat(first.commit(other, 2).remarkText()).isEmpty();
        leads(master);
        assertThat(members.position(master, "T")).isEqualTo(2);
        assertThat(first.pull(master, 0).code()).isZero();

        assertThat(first.commit(master, 1).remarkText()).as("a member alone").contains("smaller");
        assertThat(second.commit(master, 1).remarkText()).as("no member").contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        goesBackOnceItHasAsked(second);
        assertThat(client().commit(master, 0).remarkText())
                .as("over a new connection")
                .isEmpty();
        assertThat(members.position(master, "T")).isZero();
    }

    /** R12-11: to ask does not take away from others that they know. */
    @Test
    void whoHasCommittedInALeadershipGoesBackAlsoWhereAnotherOneHasAskedSince() throws Exception {
        assertThat(first.pull(master, 0).code()).isZero();
        assertThat(second.pull(master, 0).code()).isZero();
        leads(other);
        leads(master);
        assertThat(first.commit(master, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);
        assertThat(second.ask(master)).as("as one that watches").isEqualTo(2);

        assertThat(first.commit(master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);

        assertThat(client().commit(other, 2).remarkText()).isEmpty();
        assertThat(first.commit(master, 1).remarkText()).as("overtaken").contains("smaller");
        assertThat(second.commit(master, 1).remarkText()).as("as well").contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    /** R11-01: what was on its way over a connection that broke comes when its client has long gone on over another one. */
    @Test
    void aCommitOverAConnectionThatItsClientHasReplacedTakesNothingBack() throws Exception {
        first.heartbeats("c0", master, other);
        members.pass(5);
        second.heartbeats("c0", master, other);
        assertThat(second.ask(master)).isZero();
        assertThat(second.commit(master, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);

        takesNothingBack(first);

        assertThat(second.commit(master, 1).remarkText())
                .as("over the new one it goes back")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R11-02: the lock of a queue says who reads it, not that its reader knows how far the position was moved. */
    @Test
    void whoHoldsTheLockOfAQueueAndWasOvertakenTakesNothingBackEither() throws Exception {
        second.heartbeats("c1", master, other);
        members.pass(5_000);
        assertThat(second.lock(master, "c1")).contains("queueId");
        assertThat(second.ask(master)).isZero();
        assertThat(second.commit(master, 1).remarkText()).isEmpty();
        assertThat(first.commit(other, 2).remarkText())
                .as("of who is gone, and was the one before")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);

        takesNothingBack(second);

        goesBackOnceItHasAsked(second);
    }

    /** R11-03: whom the answer to it reaches too late goes on from what it was told elsewhere. */
    @Test
    void whoAsksByWayOfAMemberDoesNotCountAsOneThatKnows() throws Exception {
        first.heartbeats("c0", master, other);
        assertThat(first.ask(master)).isZero();
        assertThat(first.commit(other, 2).remarkText()).isEmpty();
        assertThat(first.ask(other)).isEqualTo(2);

        takesNothingBack(first);
    }

    /** R12-01: the late one may be the larger one. Then its client goes on from further below. */
    @Test
    void aClientIsOvertakenByItsOwnCommitOverAConnectionThatItHasReplaced() throws Exception {
        assertThat(first.ask(master)).isZero();
        members.pass(5);
        second.heartbeats("c0", master, other);
        first.heartbeats("c0", master, other); // late as well
        assertThat(second.ask(master)).isZero();
        assertThat(second.commit(master, 1).remarkText()).isEmpty();
        assertThat(first.commit(master, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);

        takesNothingBack(second);

        goesBackOnceItHasAsked(second);
    }

    /** R12-01: nobody waits for the answer any more. */
    @Test
    void whoAskedOverAConnectionThatItHasReplacedDoesNotCountAsOneThatKnows() throws Exception {
        first.heartbeats("c0", master, other);
        members.pass(5);
        second.heartbeats("c0", master, other);
        assertThat(second.ask(master)).isZero();
        assertThat(client().commit(other, 2).remarkText()).isEmpty();
        assertThat(first.ask(master)).isEqualTo(2);

        takesNothingBack(second);
    }

    /** A stock pull consumer with an instance name of its own, started twice on a machine, each reading what it was told to. */
    @Test
    void twoOfOneNameThatShareNoQueuesGoBackEachWhereItWantsTo() throws Exception {
        ConsumerData pulls = new ConsumerData(
                "g",
                ConsumeType.CONSUME_ACTIVELY,
                MessageModel.CLUSTERING,
                ConsumeFromWhere.CONSUME_FROM_LAST_OFFSET,
                Set.of(),
                false);
        for (ClientOfMembers each : List.of(first, second)) {
            each.heartbeats(new HeartbeatData("c0", Set.of(), Set.of(pulls), 0, false), master, other);
            members.pass(5);
        }
        assertThat(first.pull(master, 0).code()).isZero();
        assertThat(first.commit(master, 2).remarkText()).isEmpty();

        assertThat(first.commit(master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R12-08: what was on its way since before the reset comes another way than the pull that was told of it. */
    @Test
    void aCommitThatComesLateUndoesNoReset() throws Exception {
        first.heartbeats("c0", master, other);
        members.pass(5);
        second.heartbeats("c0", master, other);
        assertThat(second.pull(master, 0).code()).isZero();
        assertThat(second.commit(master, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);
        reset();
        assertThat(second.pull(master, 2).code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(second.pull(master, 0).code()).isZero();

        assertThat(second.commit(other, 2).remarkText()).contains("reset");
        assertThat(first.commit(master, 2).remarkText()).contains("reset");
        assertThat(first.pull(master, 2, 2).code()).as("commits along the way").isEqualTo(ResponseCode.PULL_NOT_FOUND);
        assertThat(members.position(master, "T")).isZero();

        assertThat(second.commit(master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** Nor is a reader shut out for long that comes that way. */
    @Test
    void whoGoesOnAfterAResetByWayOfAMemberMovesThePosition() throws Exception {
        first.heartbeats("c0", master, other);
        assertThat(first.pull(other, 0).code()).isZero();
        assertThat(first.commit(other, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);
        reset();
        assertThat(first.pull(other, 2).code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(first.pull(other, 0).code()).isZero();

        assertThat(first.commit(other, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);

        assertThat(second.commit(other, 2).remarkText()).as("of another one").contains("reset");
        members.pass(15_001);
        assertThat(second.commit(other, 2).remarkText())
                .as("no member keeps a commit for so long")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    /** R11-02: the lock came by way of a member, so it says nothing of what is on its way over a connection of before the leadership. */
    @Test
    void whoHoldsTheLockOfAQueueTakesNothingBackOverAConnectionOfBeforeTheLeadership() throws Exception {
        first.heartbeats("c0", master, other);
        leads(other);
        assertThat(first.commit(other, 2).remarkText()).isEmpty();
        leads(master);
        members.pass(5_000);
        assertThat(first.lock(other, "c0")).contains("queueId");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(first.commit(master, 1).remarkText()).contains("smaller");
        second.heartbeats("c1", master, other);
        assertThat(second.ask(master)).as("another one knows").isEqualTo(2);
        takesNothingBack(first);

        goesBackOnceItHasAsked(first);
    }
}
