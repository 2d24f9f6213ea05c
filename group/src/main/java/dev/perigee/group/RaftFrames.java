package dev.perigee.group;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.header.raft.RaftLeadHeader;
import dev.perigee.protocol.header.raft.RaftLedHeader;
import dev.perigee.protocol.header.raft.RaftTransferHeader;
import dev.perigee.protocol.header.raft.RaftVoteHeader;
import dev.perigee.protocol.header.raft.RaftVotedHeader;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.protocol.rpc.Rpcs;
import dev.perigee.raft.LogEnd;
import dev.perigee.raft.RaftMessage;
import dev.perigee.raft.RaftMessage.Lead;
import dev.perigee.raft.RaftMessage.LeadAnswer;
import dev.perigee.raft.RaftMessage.Phase;
import dev.perigee.raft.RaftMessage.Reason;
import dev.perigee.raft.RaftMessage.VoteAnswer;
import dev.perigee.raft.RaftMessage.VoteRequest;
import dev.perigee.raft.Recovered.Condition;
import dev.perigee.remoting.Connection;
import java.util.List;

/**
 * What nodes of a group say to each other, as frames: see docs/replication.md. What follows a hello goes by its own connection and is not
 * here. Headers name the epoch of a log's end by number only, for that is all that votes compare.
 *
 * @param group the name of the group, which every frame repeats
 * @param address where this node listens for the others
 */
@Immutable
record RaftFrames(String group, String address) {
    private static final int HEX = 16;

    /** What members say to each other until one follows the other. */
    private static final List<Rpc<?, ?>> SAID = List.of(
            Rpcs.RAFT_VOTE,
            Rpcs.RAFT_VOTED,
            Rpcs.RAFT_LEAD,
            Rpcs.RAFT_LED,
            Rpcs.RAFT_TRANSFER,
            Rpcs.RAFT_HELLO,
            Rpcs.REPLICA_FORK,
            Rpcs.REPLICA_FETCHED,
            Rpcs.REPLICA_HELD);

    /** Makes ready what reads and writes all of that, and the facts of a new leader, so that nobody waits for it when leadership is handed over. */
    static void prepare() {
        SAID.forEach(Rpc::prepare);
        FactCodec.prepareForLeaders();
    }

    /** Sends one of the messages that are one-way. Any thread. */
    void send(Connection to, RaftMessage message) {
        switch (message.kind()) {
            case VOTE_REQUEST -> to.oneway(Rpcs.RAFT_VOTE, header((VoteRequest) message), null);
            case VOTE_ANSWER -> to.oneway(Rpcs.RAFT_VOTED, header((VoteAnswer) message), null);
            case LEAD ->
                to.oneway(
                        Rpcs.RAFT_LEAD,
                        new RaftLeadHeader(
                                group,
                                message.from(),
                                message.to(),
                                message.term(),
                                ((Lead) message).session(),
                                ((Lead) message).saidMs(),
                                address),
                        null);
            case LEAD_ANSWER -> to.oneway(Rpcs.RAFT_LED, header((LeadAnswer) message), null);
            case TRANSFER_NOW ->
                to.oneway(
                        Rpcs.RAFT_TRANSFER,
                        new RaftTransferHeader(group, message.from(), message.to(), message.term()),
                        null);
            case HELLO, HELLO_ANSWER, HELD ->
                throw new IllegalArgumentException(message + " goes by the connection of its session");
        }
    }

    private RaftVoteHeader header(VoteRequest request) {
        return new RaftVoteHeader(
                group,
                request.from(),
                request.to(),
                request.term(),
                request.phase().name(),
                request.reason().name(),
                request.log().epoch(),
                request.log().endOffset(),
                request.begins());
    }

    private RaftVotedHeader header(VoteAnswer answer) {
        return new RaftVotedHeader(
                group,
                answer.from(),
                answer.to(),
                answer.term(),
                answer.phase().name(),
                answer.granted(),
                Long.toHexString(answer.nodeId()),
                answer.condition() == Condition.RESTORING,
                answer.log().epoch(),
                answer.log().endOffset(),
                answer.asked().epoch(),
                answer.asked().endOffset());
    }

    private RaftLedHeader header(LeadAnswer answer) {
        return new RaftLedHeader(
                group,
                answer.from(),
                answer.to(),
                answer.term(),
                answer.session(),
                answer.heldOffset(),
                answer.saidMs(),
                Long.toHexString(answer.nodeId()));
    }

    /** @throws IllegalArgumentException when a text in it is none of those there are; as the next ones */
    static RaftMessage read(RaftVoteHeader header) {
        return new VoteRequest(
                header.from(),
                header.to(),
                header.term(),
                Phase.valueOf(header.phase()),
                Reason.valueOf(header.reason()),
                new LogEnd(header.lastEpoch(), 0, header.endOffset()),
                header.begins());
    }

    static RaftMessage read(RaftVotedHeader header) {
        return new VoteAnswer(
                header.from(),
                header.to(),
                header.term(),
                Phase.valueOf(header.phase()),
                header.granted(),
                Long.parseUnsignedLong(header.nodeId(), HEX),
                header.restoring() ? Condition.RESTORING : Condition.SOUND,
                new LogEnd(header.lastEpoch(), 0, header.endOffset()),
                new LogEnd(header.askedEpoch(), 0, header.askedOffset()));
    }

    static RaftMessage read(RaftLeadHeader header) {
        return new Lead(header.from(), header.to(), header.term(), header.session(), header.saidMs());
    }

    static RaftMessage read(RaftLedHeader header) {
        return new LeadAnswer(
                header.from(),
                header.to(),
                header.term(),
                header.session(),
                header.heldOffset(),
                header.saidMs(),
                Long.parseUnsignedLong(header.nodeId(), HEX));
    }

    static RaftMessage read(RaftTransferHeader header) {
        return new RaftMessage.TransferNow(header.from(), header.to(), header.term());
    }
}
