package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.broker.member.LateOrders;
import dev.perigee.protocol.client.ConsumerData;
import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.ResetOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.send.SendMessageHeader;
import dev.perigee.protocol.header.send.SendMessageResponse;
import dev.perigee.protocol.header.topic.TopicHeader;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.HeaderCodec;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.protocol.stats.HaStatus;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients that speak to a member that does not lead: three whole brokers on one thread. Their leader knows them apart. */
final class ForwardedClientsTest {
    private static final long CALL_MS = 60_000;

    /** As a client that wants to be taken for another one, and for that of another group. */
    private static final Rpc<SendMessageHeader, SendMessageResponse> FORGED = with(Map.of(
            "forwardedFor",
            "192.0.2.7:4711",
            "forwardedId",
            "somebody",
            "forwardedGroup",
            "other",
            "forwardedLog",
            "1"));

    private final SteppedMembers members = new SteppedMembers(3, Map.of());
    private final RemotingClient first = client();
    private final RemotingClient second = client();
    private int master;
    private int other;

    ForwardedClientsTest() throws Exception {}

    private static Rpc<SendMessageHeader, SendMessageResponse> with(Map<String, String> more) {
        Rpc<SendMessageHeader, SendMessageResponse> known = Rpcs.SEND_MESSAGE_V2;
        return new Rpc<>(known.code(), "with more", new More(known, more), known.response());
    }

    private record More(Rpc<SendMessageHeader, SendMessageResponse> known, Map<String, String> more)
            implements HeaderCodec<SendMessageHeader> {
        @Override
        public SendMessageHeader decode(FieldCursor fields) throws BadFieldException {
            return known.request().decode(fields);
        }

        @Override
        public void encode(SendMessageHeader header, FieldSink out) {
            known.request().encode(header, out);
            more.forEach(out::text);
        }
    }

    @BeforeEach
    void begin() throws Exception {
        master = members.master();
        other = (master + 1) % 3;
        members.createTopic(master, "T");
        assertThat(members.send(master, "T", "one").code()).isZero();
        assertThat(members.send(master, "T", "two").code()).isZero();
        assertThat(members.bodies(master, "T", 0))
                .as("read, so that there is the group")
                .hasSize(2);
    }

    private RemotingClient client() {
        return new RemotingClient(ClientConfig.DEFAULT, members.network, members.clock);
    }

    private String address(int index) {
        return "127.0.0.1:" + members.port(index);
    }

    private <Q extends Record, R extends Record> Answer<R> call(
            RemotingClient by, int index, Rpc<Q, R> rpc, Q header, byte @Nullable [] body) throws Exception {
        return members.get(by.call(address(index), rpc, header, body, Deadline.after(members.clock, CALL_MS)));
    }

    private InetSocketAddress self(RemotingClient client, int index) {
        return client.connection(address(index)).orElseThrow().local();
    }

    private MessageExt lastMessage() throws Exception {
        List<MessageExt> all = TestBroker.messages(members.get(members.pull(master, "T", 2, 0)));
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    private Answer<PullMessageResponse> pull(RemotingClient by, int index, long offset) throws Exception {
        return call(by, index, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", "T", 0, offset, 0), null);
    }

    private Answer<NoHeader> commit(RemotingClient by, int index, long offset) throws Exception {
        return call(by, index, Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "T", 0, offset), null);
    }

    private void heartbeats(RemotingClient of, String clientId) throws Exception {
        heartbeats(of, TestBroker.consumer(clientId, "g", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T"));
    }

    private void heartbeats(RemotingClient of, HeartbeatData beat) throws Exception {
        byte[] data = Json.write(beat);
        for (int index : List.of(master, other)) {
            assertThat(call(of, index, Rpcs.HEART_BEAT, NoHeader.NONE, data).code())
                    .isZero();
        }
    }

    /** R9-03: who read a queue in a leadership before says nothing of who reads it now. */
    @Test
    void aMemberThatLeadsAgainTakesACommitOfWhoReadsSinceThen() throws Exception {
        heartbeats(first, "c0");
        heartbeats(second, "c1");
        assertThat(pull(first, master, 0).code()).isZero();
        leads(other);
        assertThat(pull(second, other, 0).code()).isZero();
        assertThat(commit(second, other, 1).remarkText()).isEmpty();
        leads(master);

        assertThat(commit(second, master, 2).remarkText()).isEmpty();

        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    private void leads(int next) throws Exception {
        assertThat(members.get(members.transferTo(next, members.master())).code())
                .isZero();
        members.until(() -> members.masters().equals(List.of(next)));
    }

    /** R6-35. */
    @Test
    void aMessageIsOfTheClientThatMadeItWhicheverMemberItWasSentTo() throws Exception {
        assertThat(call(first, other, Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                        .code())
                .isZero();

        assertThat(lastMessage().bornHost()).isEqualTo(self(first, other));
    }

    @Test
    void whatAClientSaysAboutWhoItIsDoesNotCount() throws Exception {
        for (int index : List.of(master, other)) {
            assertThat(call(first, index, FORGED, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                            .code())
                    .isZero();
        }

        List<MessageExt> sent = TestBroker.messages(members.get(members.pull(master, "T", 2, 0)));
        assertThat(sent).extracting(MessageExt::bornHost).containsExactly(self(first, master), self(first, other));
    }

    /** R8-01: the leader has moved, and a second group of the same names was put where it was. */
    @Test
    void whatIsHandedOverWithinAnotherGroupIsNotTaken() throws Exception {
        Answer<NoHeader> status = call(first, master, Rpcs.GET_BROKER_HA_STATUS, NoHeader.NONE, null);
        String log = Objects.requireNonNull(
                        Json.read(status.body(), HaStatus.class).log())
                .logId();
        assertThat(handedOver(Map.of("forwardedGroup", "other"))).isEqualTo(ResponseCode.NOT_THE_LEADER);
        assertThat(handedOver(Map.of("forwardedGroup", "broker-a", "forwardedLog", log + "0")))
                .isEqualTo(ResponseCode.NOT_THE_LEADER);
        assertThat(handedOver(Map.of("forwardedGroup", "broker-a", "forwardedLog", log)))
                .isZero();
        assertThat(handedOver(Map.of()))
                .as("by a release that says nothing of it")
                .isZero();
    }

    /** R9-01: the same was ordered of the next leader meanwhile, and then the contrary. */
    @Test
    void whatAToolOrderedOverAConnectionOfBeforeAnElectionIsNotHandedOverAndASendIs() throws Exception {
        for (int index : members.others(master)) {
            assertThat(call(first, index, Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                            .code())
                    .isZero();
        }
        int gone = master;
        members.kill(gone);
        master = members.master();
        other = 3 - gone - master;

        Answer<NoHeader> late = delete(first);
        assertThat(late.code()).isEqualTo(ResponseCode.SYSTEM_BUSY);
        assertThat(late.remarkText()).contains("without a leader since this connection was opened", "was not done");
        assertThat(call(first, other, Rpcs.SEND_MESSAGE_V2, TestBroker.sendHeader("T", 0, ""), new byte[] {1})
                        .code())
                .isZero();
        members.pass(2 * (int) LateOrders.MOMENT_MS);
        assertThat(delete(first).code()).as("also later").isEqualTo(ResponseCode.SYSTEM_BUSY);

        Answer<NoHeader> now = delete(second);
        assertThat(now.code()).as(now.remarkText()).isZero();
    }

    private Answer<NoHeader> delete(RemotingClient by) throws Exception {
        return call(by, other, Rpcs.DELETE_TOPIC_IN_BROKER, new TopicHeader("T"), null);
    }

    private int handedOver(Map<String, String> more) throws Exception {
        Map<String, String> all = new TreeMap<>(more);
        all.put("forwardedFor", "192.0.2.7:4711");
        return members.get(members.client.call(
                        "127.0.0.1:" + members.groupPort(master),
                        with(all),
                        TestBroker.sendHeader("T", 0, ""),
                        new byte[] {1},
                        Deadline.after(members.clock, CALL_MS)))
                .code();
    }

    /** R4-46: the first one's pull did away with the reset for all that came over that member. */
    @Test
    void eachOfTwoReadersBehindOneMemberIsToldOfAReset() throws Exception {
        assertThat(commit(first, other, 2).code()).isZero();
        assertThat(members.position(master, "T")).isEqualTo(2);
        Answer<?> reset = call(
                members.client,
                master,
                Rpcs.INVOKE_BROKER_TO_RESET_OFFSET,
                new ResetOffsetHeader("T", "g", -1, true, 0, 0L),
                null);
        assertThat(reset.code()).as(reset.remarkText()).isZero();

        assertThat(pull(first, other, 2).code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(pull(second, other, 2).code()).isEqualTo(ResponseCode.PULL_OFFSET_MOVED);
        assertThat(commit(second, other, 2).remarkText()).contains("reset");
        assertThat(members.position(master, "T")).isZero();
    }

    /** ADR 0015 holds for them as well. */
    @Test
    void ofTwoReadersBehindOneMemberOnlyTheOneThatReadsAQueueMovesItsPosition() throws Exception {
        heartbeats(first, "c1");
        heartbeats(second, "c2");
        assertThat(pull(first, other, 0).code()).isZero();
        assertThat(commit(first, other, 2).remarkText()).isEmpty();

        assertThat(commit(second, other, 1).remarkText()).contains("c1");
        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    /** Found by the fault rig: a leader that was stopped for seconds had a commit in its connection that was older than those made elsewhere. */
    @Test
    void aCommitThatWaitedAtAMemberMovesNoPositionBack() throws Exception {
        heartbeats(first, "c1");
        assertThat(pull(first, master, 0).code()).isZero();
        assertThat(commit(first, master, 2).remarkText()).isEmpty();

        Answer<NoHeader> late = commit(first, other, 1);

        assertThat(late.code()).isZero();
        assertThat(late.remarkText()).contains("smaller", "another member");
        assertThat(members.position(master, "T")).isEqualTo(2);
        assertThat(commit(first, master, 1).remarkText())
                .as("a reader goes back where it wants to")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R9-02: a commit that raised late is no reason to fall again, when who reads the queue goes on from further below. */
    @Test
    void aReaderThatWasOvertakenByWayOfAMemberDoesNotTakeBackWhatWasTold() throws Exception {
        heartbeats(second, "c1");
        assertThat(ask(second, master)).isZero();
        assertThat(pull(second, master, 0).code()).isZero();
        assertThat(commit(second, master, 1).remarkText()).isEmpty();

        assertThat(commit(first, other, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);
        assertThat(commit(second, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(ask(second, master)).isEqualTo(2);
        assertThat(commit(second, master, 1).remarkText())
                .as("it knows where the group stands, and goes back")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** The same of who sends no heartbeats; and whoever has not read here, as a tool, is obeyed. */
    @Test
    void aReaderWithoutHeartbeatsThatWasOvertakenTakesNothingBackAndAToolDoes() throws Exception {
        assertThat(pull(second, master, 0).code()).isZero();
        assertThat(commit(first, other, 2).remarkText()).isEmpty();

        assertThat(commit(second, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(commit(client(), master, 1).remarkText()).as("a tool's").isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** Its own commit may be the one that came late. */
    @Test
    void whoWentBackHereIsNotMovedBackAgainBehindItsOwnLateCommit() throws Exception {
        heartbeats(first, "c0");
        assertThat(pull(first, master, 0).code()).isZero();
        assertThat(ask(first, master)).isZero();
        assertThat(commit(first, master, 1).remarkText()).isEmpty();
        assertThat(commit(first, other, 2).remarkText()).isEmpty();

        assertThat(commit(first, master, 1).remarkText()).contains("smaller");

        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    /** What was on its way to a leader since a leadership of before. */
    @Test
    void whoIsConnectedSinceBeforeALeadershipTakesNothingBackInItUntilItAsksOrCommits() throws Exception {
        heartbeats(first, "c0");
        assertThat(pull(first, master, 0).code()).isZero();
        assertThat(pull(second, master, 0).code()).isZero();
        leads(other);
        assertThat(commit(first, other, 2).remarkText()).isEmpty();
        leads(master);
        assertThat(members.position(master, "T")).isEqualTo(2);
        assertThat(pull(first, master, 0).code()).isZero();

        assertThat(commit(first, master, 1).remarkText()).as("a member alone").contains("smaller");
        assertThat(commit(second, master, 1).remarkText()).as("no member").contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(ask(second, master)).isEqualTo(2);
        assertThat(commit(second, master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
        assertThat(commit(client(), master, 0).remarkText())
                .as("over a new connection")
                .isEmpty();
        assertThat(members.position(master, "T")).isZero();
    }

    /** R11-01: what was on its way over a connection that broke comes when its client has long gone on over another one. */
    @Test
    void aCommitOverAConnectionThatItsClientHasReplacedTakesNothingBack() throws Exception {
        heartbeats(first, "c0");
        members.pass(5);
        heartbeats(second, "c0");
        assertThat(ask(second, master)).isZero();
        assertThat(commit(second, master, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(commit(first, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(commit(second, master, 1).remarkText())
                .as("over the new one it goes back")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R11-02: the lock of a queue says who reads it, not that its reader knows how far the position was moved. */
    @Test
    void whoHoldsTheLockOfAQueueAndWasOvertakenTakesNothingBackEither() throws Exception {
        heartbeats(second, "c1");
        members.pass(5_000);
        assertThat(lock(second, master, "c1")).contains("queueId");
        assertThat(ask(second, master)).isZero();
        assertThat(commit(second, master, 1).remarkText()).isEmpty();
        assertThat(commit(first, other, 2).remarkText())
                .as("of who is gone, and was the one before")
                .isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(commit(second, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(ask(second, master)).isEqualTo(2);
        assertThat(commit(second, master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R11-03: whom the answer to it reaches too late goes on from what it was told elsewhere. */
    @Test
    void whoAsksByWayOfAMemberDoesNotCountAsOneThatKnows() throws Exception {
        heartbeats(first, "c0");
        assertThat(ask(first, master)).isZero();
        assertThat(commit(first, other, 2).remarkText()).isEmpty();
        assertThat(ask(first, other)).isEqualTo(2);

        assertThat(commit(first, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);
    }

    /** R12-01: the late one may be the larger one. Then its client goes on from further below. */
    @Test
    void aClientIsOvertakenByItsOwnCommitOverAConnectionThatItHasReplaced() throws Exception {
        assertThat(ask(first, master)).isZero();
        members.pass(5);
        heartbeats(second, "c0");
        heartbeats(first, "c0"); // late as well
        assertThat(ask(second, master)).isZero();
        assertThat(commit(second, master, 1).remarkText()).isEmpty();
        assertThat(commit(first, master, 2).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(commit(second, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(ask(second, master)).isEqualTo(2);
        assertThat(commit(second, master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R12-01: nobody waits for the answer any more. */
    @Test
    void whoAskedOverAConnectionThatItHasReplacedDoesNotCountAsOneThatKnows() throws Exception {
        heartbeats(first, "c0");
        members.pass(5);
        heartbeats(second, "c0");
        assertThat(ask(second, master)).isZero();
        assertThat(commit(client(), other, 2).remarkText()).isEmpty();
        assertThat(ask(first, master)).isEqualTo(2);

        assertThat(commit(second, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);
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
        for (RemotingClient each : List.of(first, second)) {
            heartbeats(each, new HeartbeatData("c0", Set.of(), Set.of(pulls), 0, false));
            members.pass(5);
        }
        assertThat(pull(first, master, 0).code()).isZero();
        assertThat(commit(first, master, 2).remarkText()).isEmpty();

        assertThat(commit(first, master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    /** R11-02: the lock came by way of a member, so it says nothing of what is on its way over a connection of before the leadership. */
    @Test
    void whoHoldsTheLockOfAQueueTakesNothingBackOverAConnectionOfBeforeTheLeadership() throws Exception {
        heartbeats(first, "c0");
        leads(other);
        assertThat(commit(first, other, 2).remarkText()).isEmpty();
        leads(master);
        members.pass(5_000);
        assertThat(lock(first, other, "c0")).contains("queueId");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(commit(first, master, 1).remarkText()).contains("smaller");
        heartbeats(second, "c1");
        assertThat(ask(second, master)).as("another one knows").isEqualTo(2);
        assertThat(commit(first, master, 1).remarkText()).contains("smaller");
        assertThat(members.position(master, "T")).isEqualTo(2);

        assertThat(ask(first, master)).isEqualTo(2);
        assertThat(commit(first, master, 1).remarkText()).isEmpty();
        assertThat(members.position(master, "T")).isEqualTo(1);
    }

    private String lock(RemotingClient by, int index, String clientId) throws Exception {
        byte[] wanted = Json.write(
                new QueueLockRequest("g", clientId, true, Set.of(new MessageQueue("T", "broker-a", 0)), null));
        Answer<NoHeader> answer = call(by, index, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, wanted);
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private long ask(RemotingClient by, int index) throws Exception {
        Answer<OffsetResponse> answer =
                call(by, index, Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", "T", 0, null), null);
        return answer.code() == ResponseCode.QUERY_NOT_FOUND
                ? 0
                : Objects.requireNonNull(answer.header()).offset();
    }
}
