package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.rpc.HeaderCodec;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What comes late about locks by way of another member gives up none that its client has taken again, and takes none for one that is gone:
 * three whole brokers on one thread (ADR 0015).
 */
final class LateLocksTest {
    /** A new leader grants none before. */
    private static final int ELECTION_MS = 5_000;

    private final SteppedMembers members = new SteppedMembers(3, Map.of());
    private final ClientOfMembers first = new ClientOfMembers(members);
    private final ClientOfMembers second = new ClientOfMembers(members);
    private int master;
    private int other;
    private int third;

    LateLocksTest() throws Exception {}

    @BeforeEach
    void begin() throws Exception {
        master = members.master();
        other = (master + 1) % 3;
        third = (master + 2) % 3;
        members.createTopic(master, "T");
        first.heartbeats("c0", 0, 1, 2);
        second.heartbeats("c1", 0, 1, 2);
        members.pass(ELECTION_MS);
    }

    private void holds(ClientOfMembers client, String clientId) throws Exception {
        assertThat(client.lock(master, clientId)).contains("queueId");
    }

    private void getsNone(ClientOfMembers client, String clientId) throws Exception {
        assertThat(client.lock(master, clientId)).doesNotContain("queueId");
    }

    /** R12-09: until it asked again two would have read the queue. */
    @Test
    void aLockThatItsClientHasTakenAtTheLeaderIsNotGivenUpByWayOfAMember() throws Exception {
        holds(first, "c0");

        assertThat(first.unlock(other, "c0")).contains("not obeyed", "another member");
        getsNone(second, "c1");

        assertThat(first.unlock(master, "c0")).isEmpty();
        holds(second, "c1");
    }

    /** The member stands still, or what goes to it is held up: longer than any member keeps a request. */
    @Test
    void whatWaitedAtAMemberForLongGivesUpNoLockThatWasRenewedMeanwhile() throws Exception {
        holds(first, "c0");
        members.pass(40_000);
        holds(first, "c0");
        members.pass(40_000);

        assertThat(first.unlock(other, "c0")).contains("not obeyed");

        getsNone(second, "c1");
    }

    /** Who goes by a route of before takes and gives up its locks by way of one member. */
    @Test
    void aClientGivesUpByWayOfAMemberWhatItTookThatWay() throws Exception {
        assertThat(first.lock(other, "c0")).contains("queueId");
        getsNone(second, "c1");

        assertThat(first.unlock(other, "c0")).isEmpty();

        holds(second, "c1");
    }

    @Test
    void aClientGivesUpAtTheLeaderWhatItTookByWayOfAMember() throws Exception {
        assertThat(first.lock(other, "c0")).contains("queueId");

        assertThat(first.unlock(master, "c0")).isEmpty();

        holds(second, "c1");
    }

    /** Of two members neither one is known to be the newer way. */
    @Test
    void aClientGivesUpNothingByWayOfAnotherMemberThanItTookIt() throws Exception {
        assertThat(first.lock(other, "c0")).contains("queueId");

        assertThat(first.unlock(third, "c0")).contains("not obeyed");

        getsNone(second, "c1");
    }

    /** What a former leader turned away, or left unanswered, is asked of the next one behind what its client said later. */
    @Test
    void ofTwoWordsOverOneConnectionToAMemberTheLaterOneCountsWhicheverComesFirst() throws Exception {
        assertThat(handedOver(Rpcs.LOCK_BATCH_MQ, 7)).contains("queueId");
        assertThat(handedOver(Rpcs.UNLOCK_BATCH_MQ, 6)).contains("not obeyed");
        getsNone(second, "c1");

        assertThat(handedOver(Rpcs.UNLOCK_BATCH_MQ, 9)).isEmpty();
        assertThat(handedOver(Rpcs.LOCK_BATCH_MQ, 8)).doesNotContain("queueId");
        holds(second, "c1");
    }

    /** As a member hands it over: what was locked, or the remark. */
    private String handedOver(Rpc<NoHeader, NoHeader> rpc, long number) throws Exception {
        Answer<NoHeader> answer = members.get(members.client.call(
                "127.0.0.1:" + members.groupPort(master),
                new Rpc<>(rpc.code(), "handed over", new Handed(number), rpc.response()),
                NoHeader.NONE,
                ClientOfMembers.locks("c0"),
                Deadline.after(members.clock, 60_000)));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return answer.remarkText() + new String(answer.body(), StandardCharsets.UTF_8);
    }

    private record Handed(long number) implements HeaderCodec<NoHeader> {
        @Override
        public NoHeader decode(FieldCursor fields) {
            return NoHeader.NONE;
        }

        @Override
        public void encode(NoHeader header, FieldSink out) {
            out.text("forwardedFor", "192.0.2.7:4711");
            out.number("forwardedNumber", number);
        }
    }

    /** R10-05: it was asked of a leader that stands still, and then of the next one. */
    @Test
    void aClientThatHasLeftTakesNoLockByWayOfAMember() throws Exception {
        first.leaves("c0", 0, 1, 2);

        assertThat(first.lock(other, "c0")).doesNotContain("queueId");

        holds(second, "c1");
    }

    @Test
    void aClientThatCameAgainTakesLocksByWayOfAMember() throws Exception {
        first.leaves("c0", 0, 1, 2);
        first.heartbeats("c0", 0, 1, 2);

        assertThat(first.lock(other, "c0")).contains("queueId");
    }

    /** It waited at the member since before its client gave the queue up at the leader. */
    @Test
    void aClientTakesNothingByWayOfAMemberRightAfterItSpokeToTheLeader() throws Exception {
        holds(first, "c0");
        assertThat(first.lock(other, "c0")).as("what it holds it renews").contains("queueId");
        assertThat(first.unlock(master, "c0")).isEmpty();

        assertThat(first.lock(other, "c0")).doesNotContain("queueId");
        members.pass(15_001);
        assertThat(first.lock(other, "c0"))
                .as("no member keeps a request for so long")
                .contains("queueId");
    }
}
