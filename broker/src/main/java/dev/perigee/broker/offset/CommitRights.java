package dev.perigee.broker.offset;

import dev.perigee.broker.client.ClientRegistry;
import dev.perigee.broker.client.ConsumerGroup;
import dev.perigee.broker.client.ForwardedClient;
import dev.perigee.broker.client.Member;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.lock.QueueLocks;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.ConsumeType;
import dev.perigee.protocol.group.MessageModel;
import dev.perigee.remoting.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Who may move the offset of a queue (ADR 0015). Members that share out queues among them hand them over without waiting
 * for each other, so a commit of the one that had the queue before may come after the next one has begun to read: it would
 * move the offset back, or on over messages that the new one has not consumed.
 *
 * <p>Only a member of a push group in clustering mode can be refused, and only for what another connected member has. A
 * connection that is no such member's is obeyed: a tool's, but also that of a client that sends its heartbeats on another
 * connection; see {@link #ofStranger} for what it may not take back in a group of brokers.
 */
@ThreadSafe
public final class CommitRights {
    /** Whether a commit counts. */
    public enum Right {
        /** It counts. */
        OBEY,
        /**
         * It counts unless it is smaller: the committer has not known where the group stands since another member asked or
         * committed, or since the broker started or last began to lead its group, or since the offset was moved by way of another broker, or
         * over a connection that was replaced; or it may have been on its way itself while its client went on over another connection.
         */
        RAISE,
        /** Another connected member has pulled the queue, or asked for its position, last: it has it now. */
        STALE,
        /** Another member holds the queue's lock. */
        NOT_HOLDER
    }

    /** @param other the client id of the member that has the queue, or knows where the group stands; null when there is none */
    public record Verdict(Right right, @Nullable String other) {
        private static final Verdict OBEYED = new Verdict(Right.OBEY, null);
    }

    private final ClientRegistry clients;
    private final QueueLocks locks;
    private final PullPositions positions;
    private final BrokerIdentity identity;
    private final Clock clock;

    public CommitRights(
            ClientRegistry clients, QueueLocks locks, PullPositions positions, BrokerIdentity identity, Clock clock) {
        this.clients = clients;
        this.locks = locks;
        this.positions = positions;
        this.identity = identity;
        this.clock = clock;
    }

    /** What a commit that comes on this connection may do. */
    Verdict of(String group, String topic, int queueId, long offset, Connection from) {
        ConsumerGroup members = clients.consumers(group);
        Member committer = members == null ? null : members.memberOn(from);
        GroupQueue at = new GroupQueue(group, topic, queueId);
        return members == null || committer == null || !sharesQueues(committer)
                ? ofStranger(at, from)
                : ofMember(members, committer, at, offset, from);
    }

    private Verdict ofMember(ConsumerGroup members, Member committer, GroupQueue at, long offset, Connection from) {
        String clientId = committer.clientId();
        String lastReader = positions.lastReader(at.group(), at.topic(), at.queueId());
        String mover = isFreeToGoBack(members, committer, at, offset, from)
                ? clientId
                : positions.mover(at.group(), at.topic(), at.queueId());
        Verdict verdict = decide(
                clientId,
                holder(at.group(), at.topic(), at.queueId()),
                lastReader != null && members.member(lastReader) != null ? lastReader : null,
                mover);
        boolean isBehind = isBehind(PullPositions.ELSEWHERE.equals(mover), clientId.equals(mover), from)
                || hasReplaced(members, clientId, from);
        return isBehind && verdict.right() == Right.OBEY ? new Verdict(Right.RAISE, mover) : verdict;
    }

    /** What no member that shares out queues commits is obeyed, unless it is known to be behind. */
    private Verdict ofStranger(GroupQueue at, Connection from) {
        if (positions.isBeyondLimit(at.group(), at.topic(), at.queueId())) {
            return Verdict.OBEYED;
        }
        String address = from.remoteAddress();
        Strangers known = positions.strangers(at.group(), at.topic(), at.queueId());
        return isBehind(address.equals(known.overtaken()), known.isKnowing(address), from)
                ? new Verdict(Right.RAISE, null)
                : Verdict.OBEYED;
    }

    /**
     * Whether a commit may be of who does not know what was told since (R26), so that it must not take that back: the position was last moved
     * elsewhere than where the committer reads; or its connection is older than this leadership, and it is not known to have asked or committed
     * in it, so this may have been on its way since a leadership of before.
     */
    private boolean isBehind(boolean wasOvertaken, boolean knows, Connection from) {
        return wasOvertaken || (!knows && isOfBefore(from));
    }

    /**
     * Whether something comes another way than over the connection over which its client goes on: it may have been on its way for long, so
     * what the client does where it goes on is done without knowing of it. Not of who shares no queues: several of one name may be meant.
     */
    private static boolean isElsewhere(@Nullable ConsumerGroup members, @Nullable Member sender, Connection from) {
        return from instanceof ForwardedClient
                || (members != null
                        && sender != null
                        && sharesQueues(sender)
                        && hasReplaced(members, sender.clientId(), from));
    }

    /** Whether a client is known over a younger connection: what comes over this one was on its way while it went on over that one. */
    private static boolean hasReplaced(ConsumerGroup members, String clientId, Connection from) {
        Member youngest = members.member(clientId);
        return !(from instanceof ForwardedClient) && youngest != null && youngest.connection() != from;
    }

    private boolean isOfBefore(Connection from) {
        return from.openedMs() < positions.sinceMs();
    }

    /**
     * Whether the committer may go back although it has neither committed nor asked: nothing is remembered for want of room; or
     * nobody has since the broker started or last began to lead its group, nobody else is there, and it has read from that offset again, over
     * a connection that it opened since.
     */
    private boolean isFreeToGoBack(
            ConsumerGroup members, Member committer, GroupQueue at, long offset, Connection from) {
        if (positions.isBeyondLimit(at.group(), at.topic(), at.queueId())) {
            return true;
        }
        return positions.mover(at.group(), at.topic(), at.queueId()) == null
                && !isOfBefore(from)
                && members.members().stream()
                        .noneMatch(other ->
                                sharesQueues(other) && !other.clientId().equals(committer.clientId()))
                && positions.hasReadAgain(at.group(), at.topic(), at.queueId(), offset, committer.clientId());
    }

    /**
     * Takes note that a commit on this connection counted. One that another broker of the group handed over, or that came over a connection
     * that its client has replaced, may have been on its way for long: who reads here goes on from further below, and its next commit must not
     * undo what was told meanwhile (R26).
     */
    public void moved(String group, String topic, int queueId, Connection from) {
        ConsumerGroup members = clients.consumers(group);
        Member committer = members == null ? null : members.memberOn(from);
        if (isElsewhere(members, committer, from)) {
            positions.movedElsewhere(group, topic, queueId);
        } else if (committer != null && sharesQueues(committer)) {
            positions.moved(group, topic, queueId, committer.clientId());
        } else {
            positions.strangers(group, topic, queueId, known -> known.movedBy(from.remoteAddress()));
        }
    }

    /**
     * Takes note of a pull.
     *
     * @return whether what it commits along the way may count
     */
    public boolean pulls(String group, String topic, int queueId, long offset, Connection from) {
        ConsumerGroup members = clients.consumers(group);
        Member reader = members == null ? null : members.memberOn(from);
        positions.pulled(group, topic, queueId, offset, reader == null ? null : reader.clientId());
        if (reader == null || !sharesQueues(reader)) {
            if (!(from instanceof ForwardedClient)) {
                positions.strangers(group, topic, queueId, known -> known.readBy(from.remoteAddress()));
            }
            return true;
        }
        return isHolderOrNobodyIs(reader.clientId(), holder(group, topic, queueId));
    }

    /**
     * Takes note that the position of a group is asked for. A member that shares out queues is about to read from the answer on:
     * what others commit later would be undone by its commits, or undo them.
     */
    void asks(String group, String topic, int queueId, Connection from) {
        ConsumerGroup members = clients.consumers(group);
        Member reader = members == null ? null : members.memberOn(from);
        if (reader != null && sharesQueues(reader)) {
            if (isElsewhere(members, reader, from)) {
                // it may have given up meanwhile, and read on from what it was told elsewhere
                positions.askedElsewhere(group, topic, queueId, reader.clientId());
            } else {
                positions.asked(group, topic, queueId, reader.clientId());
            }
        } else if (isOfBefore(from)
                || from.remoteAddress()
                        .equals(positions.strangers(group, topic, queueId).overtaken())) {
            positions.strangers(group, topic, queueId, known -> known.askedBy(from.remoteAddress()));
        }
    }

    /**
     * Whether a commit on this connection, or one that comes with a pull, may have been sent before the queue was reset: it comes another way
     * than what its client sends now, which knows of the reset.
     */
    public boolean isOfBeforeReset(PendingResets resets, String group, String topic, int queueId, Connection from) {
        if (!resets.isOlder(new GroupQueue(group, topic, queueId), from)) {
            return false;
        }
        ConsumerGroup members = clients.consumers(group);
        return isElsewhere(members, members == null ? null : members.memberOn(from), from);
    }

    /** Whether a connection is that of a member that keeps its offsets itself: resets of its group are none of its own. */
    public boolean keepsOwnOffsets(String group, Connection from) {
        ConsumerGroup members = clients.consumers(group);
        Member reader = members == null ? null : members.memberOn(from);
        return reader != null && reader.messageModel() == MessageModel.BROADCASTING;
    }

    private @Nullable String holder(String group, String topic, int queueId) {
        return locks.holder(group, topic, identity.name(), queueId, clock.monotonicMs());
    }

    private static boolean sharesQueues(Member member) {
        return member.consumeType() == ConsumeType.CONSUME_PASSIVELY
                && member.messageModel() == MessageModel.CLUSTERING;
    }

    private static boolean isHolderOrNobodyIs(String clientId, @Nullable String holder) {
        return holder == null || holder.equals(clientId);
    }

    /**
     * The rule itself.
     *
     * @param committer the client id of a member that shares out queues with others
     * @param holder the client that holds the queue's lock, or null
     * @param lastReader the connected member that pulled the queue last, or null
     * @param mover the member that asked or committed last, or may go back as if it had; or null
     */
    static Verdict decide(
            String committer, @Nullable String holder, @Nullable String lastReader, @Nullable String mover) {
        if (!isHolderOrNobodyIs(committer, holder)) {
            return new Verdict(Right.NOT_HOLDER, holder);
        }
        if (holder == null && lastReader != null && !lastReader.equals(committer)) {
            return new Verdict(Right.STALE, lastReader);
        }
        return holder != null || committer.equals(mover) ? Verdict.OBEYED : new Verdict(Right.RAISE, mover);
    }
}
