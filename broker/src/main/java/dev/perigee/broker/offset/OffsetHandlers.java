package dev.perigee.broker.offset;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.client.ForwardedClient;
import dev.perigee.broker.fact.ReadGate;
import dev.perigee.broker.fact.WaitingReply;
import dev.perigee.broker.fact.WaitingRequests;
import dev.perigee.broker.view.GroupView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.offset.OffsetResponse;
import dev.perigee.protocol.header.offset.QueryOffsetHeader;
import dev.perigee.protocol.header.offset.UpdateOffsetHeader;
import dev.perigee.protocol.rpc.NoHeader;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.replica.Standing;
import org.jspecify.annotations.Nullable;

/** Answers QUERY_CONSUMER_OFFSET (14) and UPDATE_CONSUMER_OFFSET (15). */
@ThreadSafe
public final class OffsetHandlers {
    private final OffsetCommits commits;
    private final CommitRights rights;
    private final TopicView topics;
    private final GroupView groups;
    private final ReadGate gate;
    private final WaitingRequests waiting;
    private final Standing standing;

    public OffsetHandlers(
            OffsetCommits commits,
            CommitRights rights,
            TopicView topics,
            GroupView groups,
            ReadGate gate,
            WaitingRequests waiting,
            Standing standing) {
        this.commits = commits;
        this.rights = rights;
        this.topics = topics;
        this.groups = groups;
        this.gate = gate;
        this.waiting = waiting;
        this.standing = standing;
    }

    /**
     * Answers with a confirmed offset; a newer commit that is not logged yet is logged first. A slave logs nothing: it answers with
     * what was committed to it until its master has that (R27), once that is kept in its file, so that what is answered never falls (R26).
     */
    public void query(Request<QueryOffsetHeader> request, Reply<OffsetResponse> reply) {
        gate.pass(reply, () -> {
            QueryOffsetHeader header = request.header();
            rights.asks(header.consumerGroup(), header.topic(), header.queueId(), request.askedBy());
            if (standing.isSlave()) {
                answerKept(header, waiting.hold(reply, "the offset to be kept"));
            } else if (commits.heldQueries().isHeld()) {
                WaitingReply<OffsetResponse> held =
                        waiting.hold(reply, "the master before to know that it is one no more");
                commits.heldQueries().ask(held, () -> held.resume(() -> answerWhenLogged(header, held)));
            } else if (isPending(header)) {
                answerWhenLogged(header, waiting.hold(reply, "the offsets to be logged"));
            } else {
                answer(header, reply);
            }
        });
    }

    private boolean isPending(QueryOffsetHeader header) {
        return commits.isPending(header.consumerGroup(), header.topic(), header.queueId());
    }

    private void answerWhenLogged(QueryOffsetHeader header, WaitingReply<OffsetResponse> held) {
        if (isPending(header) && !standing.isSlave()) {
            commits.flush(held, () -> held.resume(() -> answerLogged(header, held)));
        } else {
            answerLogged(header, held);
        }
    }

    /**
     * Takes a commit; it is logged within a second. A smaller offset than before is obeyed. Whoever may not move the offset,
     * or not back, see {@link CommitRights}, is told so, with code 13 when another member holds the queue's lock, else with 0
     * and a remark; so is, while a reset of the queue is pending, who does not know of it. Then nothing is committed. What another member of
     * the group hands over moves an offset forward only (R26).
     */
    public void update(Request<UpdateOffsetHeader> request, Reply<NoHeader> reply) {
        UpdateOffsetHeader header = request.header();
        Refusal refusal = check(header);
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        if (rights.isOfBeforeReset(
                commits.resets(), header.consumerGroup(), header.topic(), header.queueId(), request.askedBy())) {
            ignore(reply, "the offset was reset, and this may have been sent before: " + describe(header));
            return;
        }
        CommitRights.Verdict verdict = rights.of(
                header.consumerGroup(), header.topic(), header.queueId(), header.commitOffset(), request.askedBy());
        boolean onlyRaises = standing.isSlave() || cameLate(request);
        boolean isObeyed = verdict.right() == CommitRights.Right.OBEY;
        switch (onlyRaises && isObeyed ? CommitRights.Right.RAISE : verdict.right()) {
            case OBEY ->
                answer(
                        commits.set(
                                header.consumerGroup(),
                                header.topic(),
                                header.queueId(),
                                header.commitOffset(),
                                request.askedBy()),
                        request,
                        reply);
            case RAISE ->
                answer(
                        commits.setLarger(
                                header.consumerGroup(),
                                header.topic(),
                                header.queueId(),
                                header.commitOffset(),
                                request.askedBy()),
                        request,
                        reply);
            case STALE ->
                ignore(
                        reply,
                        describe(header) + " was last pulled by client " + verdict.other() + ", which reads it now");
            case NOT_HOLDER ->
                reply.fail(
                        ResponseCode.MESSAGE_ILLEGAL,
                        "commitOffset " + header.commitOffset() + " is not committed: " + describe(header)
                                + " is locked by client " + verdict.other());
        }
    }

    /** What another member hands over may have waited there, as while that one stood still, and newer ones have come since. */
    private static boolean cameLate(Request<?> request) {
        return request.askedBy() instanceof ForwardedClient;
    }

    private void answer(CommitOutcome outcome, Request<UpdateOffsetHeader> request, Reply<NoHeader> reply) {
        UpdateOffsetHeader header = request.header();
        switch (outcome) {
            case TAKEN -> {
                rights.moved(header.consumerGroup(), header.topic(), header.queueId(), request.askedBy());
                reply.ok(NoHeader.NONE);
            }
            case SMALLER ->
                ignore(
                        reply,
                        "commitOffset " + header.commitOffset() + " is smaller than the offset of " + describe(header)
                                + ", which this client has not moved since the broker started or another one did"
                                + (standing.isSlave() ? ", and a slave moves no offset back" : "")
                                + (cameLate(request) ? ", and by way of another member no offset is moved back" : ""));
            case RESET_PENDING ->
                ignore(reply, "the offset was reset, and the reader's next pull has not come yet: " + describe(header));
            case BUSY -> reply.fail(ResponseCode.SYSTEM_BUSY, OffsetCommits.TOO_MANY);
        }
    }

    private static void ignore(Reply<NoHeader> reply, String why) {
        reply.send(ResponseCode.SUCCESS, "not committed: " + why, NoHeader.NONE, null);
    }

    /** What was committed may be newer elsewhere where this broker ceased to be the master meanwhile (R26, R32). */
    private void answerLogged(QueryOffsetHeader header, WaitingReply<OffsetResponse> held) {
        if (standing.isSlave()) {
            held.fail(ResponseCode.SYSTEM_BUSY, "[REJECTREQUEST]this broker is the master no more: try again");
        } else {
            answer(header, held);
        }
    }

    /** Again for a commit that came while the one before was written. */
    private void answerKept(QueryOffsetHeader header, WaitingReply<OffsetResponse> held) {
        GroupQueue key = new GroupQueue(header.consumerGroup(), header.topic(), header.queueId());
        long kept = commits.pending().keptOffset(key);
        if (kept != PendingCommits.NOT_KEPT) {
            answer(header, held, Math.max(kept, commits.applied(key.group(), key.topic(), key.queueId())));
        } else if (!commits.keptWaiters().ask(key, () -> held.resume(() -> answerKept(header, held)))) {
            held.fail(ResponseCode.SYSTEM_BUSY, "[OVERLOAD]too many wait for offsets to be kept, try again");
        }
    }

    private void answer(QueryOffsetHeader header, Reply<OffsetResponse> reply) {
        answer(header, reply, commits.applied(header.consumerGroup(), header.topic(), header.queueId()));
    }

    private static void answer(QueryOffsetHeader header, Reply<OffsetResponse> reply, long offset) {
        if (offset >= 0) {
            reply.ok(new OffsetResponse(offset));
        } else if (Boolean.FALSE.equals(header.setZeroIfNotFound())) {
            reply.fail(
                    ResponseCode.QUERY_NOT_FOUND,
                    "Not found, do not set to zero, maybe this group boot first: " + describe(header));
        } else {
            reply.fail(
                    ResponseCode.QUERY_NOT_FOUND,
                    "Not found, V3_0_6_SNAPSHOT maybe this group consumer boot first: " + describe(header));
        }
    }

    private @Nullable Refusal check(UpdateOffsetHeader header) {
        if (groups.current().find(header.consumerGroup()) == null) {
            return new Refusal(
                    ResponseCode.SUBSCRIPTION_GROUP_NOT_EXIST,
                    "consumerGroup [" + header.consumerGroup() + "] does not exist");
        }
        if (topics.current().find(header.topic()) == null) {
            return new Refusal(ResponseCode.TOPIC_NOT_EXIST, "topic [" + header.topic() + "] does not exist");
        }
        return commits.refuse(header.topic(), header.queueId(), header.commitOffset());
    }

    private static String describe(QueryOffsetHeader header) {
        return describe(header.consumerGroup(), header.topic(), header.queueId());
    }

    private static String describe(UpdateOffsetHeader header) {
        return describe(header.consumerGroup(), header.topic(), header.queueId());
    }

    private static String describe(String group, String topic, int queueId) {
        return "group " + group + ", topic " + topic + ", queue " + queueId;
    }
}
