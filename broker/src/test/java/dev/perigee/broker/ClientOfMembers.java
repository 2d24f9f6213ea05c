package dev.perigee.broker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.client.HeartbeatData;
import dev.perigee.protocol.client.QueueLockRequest;
import dev.perigee.protocol.group.ConsumeFromWhere;
import dev.perigee.protocol.header.client.UnregisterClientHeader;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.header.pull.PullSysFlag;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.remoting.ClientConfig;
import dev.perigee.remoting.RemotingClient;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One that consumes queue 0 of topic T with group g, over a connection of its own to each member of a group of brokers. */
final class ClientOfMembers {
    private static final long CALL_MS = 60_000;

    private final SteppedMembers members;
    private final RemotingClient client;

    ClientOfMembers(SteppedMembers members) {
        this.members = members;
        this.client = new RemotingClient(ClientConfig.DEFAULT, members.network, members.clock);
    }

    private String address(int index) {
        return "127.0.0.1:" + members.port(index);
    }

    <Q extends Record, R extends Record> Answer<R> call(int index, Rpc<Q, R> rpc, Q header, byte @Nullable [] body)
            throws Exception {
        return members.get(client.call(address(index), rpc, header, body, Deadline.after(members.clock, CALL_MS)));
    }

    /** Where its connection to a member begins. */
    InetSocketAddress self(int index) {
        return client.connection(address(index)).orElseThrow().local();
    }

    Answer<PullMessageResponse> pull(int index, long offset) throws Exception {
        return call(index, Rpcs.PULL_MESSAGE, TestBroker.pullHeader("g", "T", 0, offset, 0), null);
    }

    /** A pull that commits along the way. */
    Answer<PullMessageResponse> pull(int index, long offset, long commitOffset) throws Exception {
        PullMessageHeader plain = TestBroker.pullHeader("g", "T", 0, offset, 0);
        PullMessageHeader header = new PullMessageHeader(
                "g",
                "T",
                0,
                offset,
                plain.maxMsgNums(),
                plain.sysFlag() | PullSysFlag.COMMIT_OFFSET,
                commitOffset,
                0,
                plain.subscription(),
                0,
                plain.expressionType(),
                0,
                0,
                null,
                null);
        return call(index, Rpcs.PULL_MESSAGE, header, null);
    }

    Answer<NoHeader> commit(int index, long offset) throws Exception {
        return call(index, Rpcs.UPDATE_CONSUMER_OFFSET, new UpdateOffsetHeader("g", "T", 0, offset), null);
    }

    /** As a member that shares out queues. */
    void heartbeats(String clientId, int... indexes) throws Exception {
        heartbeats(TestBroker.consumer(clientId, "g", ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET, "T"), indexes);
    }

    void heartbeats(HeartbeatData beat, int... indexes) throws Exception {
        for (int index : indexes) {
            assertThat(call(index, Rpcs.HEART_BEAT, NoHeader.NONE, Json.write(beat))
                            .code())
                    .isZero();
        }
    }

    /** Where its group stands. */
    long ask(int index) throws Exception {
        Answer<OffsetResponse> answer =
                call(index, Rpcs.QUERY_CONSUMER_OFFSET, new QueryOffsetHeader("g", "T", 0, null), null);
        return answer.code() == ResponseCode.QUERY_NOT_FOUND
                ? 0
                : Objects.requireNonNull(answer.header()).offset();
    }

    /** What it has locked. */
    String lock(int index, String clientId) throws Exception {
        Answer<NoHeader> answer = call(index, Rpcs.LOCK_BATCH_MQ, NoHeader.NONE, locks(clientId));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    /** Gives its lock up; gives the remark, empty when that counted. */
    String unlock(int index, String clientId) throws Exception {
        Answer<NoHeader> answer = call(index, Rpcs.UNLOCK_BATCH_MQ, NoHeader.NONE, locks(clientId));
        assertThat(answer.code()).as(answer.remarkText()).isZero();
        return answer.remarkText();
    }

    /** The lock that such a client wants, or gives up. */
    static byte[] locks(String clientId) {
        return Json.write(
                new QueueLockRequest("g", clientId, true, Set.of(new MessageQueue("T", "broker-a", 0)), null));
    }

    /** Says goodbye. */
    void leaves(String clientId, int... indexes) throws Exception {
        for (int index : indexes) {
            assertThat(call(index, Rpcs.UNREGISTER_CLIENT, new UnregisterClientHeader(clientId, null, "g"), null)
                            .code())
                    .isZero();
        }
    }
}
