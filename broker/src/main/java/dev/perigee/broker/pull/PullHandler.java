package dev.perigee.broker.pull;

import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.filter.MessageFilter;
import dev.perigee.broker.filter.TagFilter;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.broker.offset.CommitRights;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.PendingResets;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.replica.Standing;
import dev.perigee.store.queue.ConsumeQueue;
import org.jspecify.annotations.Nullable;

/**
 * Answers PULL_MESSAGE (11) and LITE_PULL_MESSAGE (361). What is in memory is answered on the event loop; where the disk
 * has to be asked, the read moves to a cold reader.
 */
@ThreadSafe
public final class PullHandler implements RequestHandler<PullMessageHeader, PullMessageResponse> {
    /** Longest wait of a parked pull, whatever it asks for. */
    static final long MAX_SUSPEND_MS = 30_000;

    private final PullChecks checks;
    private final QueueReader reader;
    private final PullWaiters waiters;
    private final CommitRights rights;
    private final OffsetCommits commits;
    private final GroupCreation groupCreation;
    private final Standing standing;
    private final SlavePulls slavePulls;
    private final LiveConfig config;
    private final Clock clock;

    /** See {@link PullParts}. */
    public PullHandler(PullParts parts, LiveConfig config, Clock clock) {
        this.checks = new PullChecks(parts.topics(), parts.groups(), parts.clients(), parts.filters());
        this.reader = parts.reader();
        this.waiters = parts.waiters();
        this.rights = parts.rights();
        this.commits = parts.commits();
        this.groupCreation = parts.groupCreation();
        this.standing = parts.standing();
        this.slavePulls = new SlavePulls(standing);
        this.config = config;
        this.clock = clock;
    }

    @Override
    public void handle(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply) {
        PullMessageHeader header = request.header();
        Refusal refusal = PullFlags.refuse(header.sysFlag());
        refusal = refusal == null ? PullTexts.refuse(header) : refusal;
        if (refusal != null) {
            refusal.answer(reply);
            return;
        }
        if (standing.isSlave() || checks.knowsGroup(header.consumerGroup())) {
            pull(request, reply);
        } else {
            pullWithNewGroup(request, reply);
        }
    }

    private void pullWithNewGroup(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply) {
        String group = request.header().consumerGroup();
        PullChecks.Plan plan = checks.checkAsNew(request, config.settings(), groupCreation.refuseNew(group));
        if (plan.refusal() != null) {
            Pull.of(request, reply, Pull.NO_WAIT).refuse(plan);
        } else {
            groupCreation.ensure(group, reply, () -> pull(request, reply));
        }
    }

    private void pull(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply) {
        PullMessageHeader header = request.header();
        LiveSettings live = config.settings();
        Pull pull = Pull.of(request, reply, deadlineMs(header, live));
        PullChecks.Plan plan = admit(pull, live);
        if (plan == null) {
            return;
        }
        boolean mayCommit = rights.pulls(
                header.consumerGroup(), header.topic(), header.queueId(), header.queueOffset(), request.askedBy());
        if (PullFlags.commits(header.sysFlag()) && mayCommit) { // before it parks, for a reset may come then
            commit(header, request.askedBy());
        }
        answerOrPark(pull, plan);
    }

    private void commit(PullMessageHeader header, Connection from) {
        String group = header.consumerGroup();
        if (!rights.isOfBeforeReset(commits.resets(), group, header.topic(), header.queueId(), from)
                && commits.raise(group, header.topic(), header.queueId(), header.commitOffset())) {
            rights.moved(group, header.topic(), header.queueId(), from);
        }
    }

    /** Until when a pull may wait for a message; a wish that makes no sense is taken as the nearest that does. */
    private long deadlineMs(PullMessageHeader header, LiveSettings live) {
        if (!PullFlags.maySuspend(header.sysFlag())) {
            return Pull.NO_WAIT;
        }
        long wantedMs = Math.max(0, Math.min(header.suspendTimeoutMillis(), MAX_SUSPEND_MS));
        return clock.monotonicMs() + (live.longPolling() ? wantedMs : live.shortPollingMs());
    }

    /** A pull that waited goes on. */
    private void again(Pull pull) {
        PullChecks.Plan plan = admit(pull, config.settings());
        if (plan != null) {
            answerOrPark(pull, plan);
        }
    }

    /** What the pull may do; null when it is answered: it is refused, or its queue was reset, so its offsets do not count. */
    private PullChecks.@Nullable Plan admit(Pull pull, LiveSettings live) {
        PullMessageHeader header = pull.header();
        if (standing.isSlave() && slavePulls.mayNotRead()) {
            turnAway(pull);
            return null;
        }
        PullChecks.Plan plan = plan(pull, live);
        if (plan.refusal() != null) {
            pull.refuse(plan);
            return null;
        }
        long movedTo = goesByResets(pull)
                ? commits.resets()
                        .take(
                                header.consumerGroup(),
                                header.topic(),
                                header.queueId(),
                                header.queueOffset(),
                                pull.request().askedBy())
                : PendingResets.NONE;
        if (movedTo != PendingResets.NONE) {
            reader.moved(header, plan, movedTo).send(pull.reply());
            return null;
        }
        return plan;
    }

    /** Not at once where it may wait: who finds no other broker in its route asks here again, and again. */
    private void turnAway(Pull pull) {
        if (!pull.mayWait() || pull.hasWaited() || !parkShortly(pull)) {
            slavePulls.turnAway(pull);
        }
    }

    private boolean parkShortly(Pull pull) {
        Waiter waiter = waiter(pull, TagFilter.ALL, SlavePulls.untilSentOnMs(pull, clock.monotonicMs()));
        return waiters.park(waiter) == PullWaiters.Parking.PARKED;
    }

    /** On a slave, which makes no groups, one that is not there is taken for what it would be. */
    private PullChecks.Plan plan(Pull pull, LiveSettings live) {
        String group = pull.header().consumerGroup();
        return standing.isSlave() && !checks.knowsGroup(group)
                ? checks.checkAsNew(pull.request(), live, groupCreation.refuseNew(group))
                : checks.check(pull.request(), live);
    }

    /** A member that consumes by broadcasting keeps its offsets itself. Cheap when there is no reset at all. */
    private boolean goesByResets(Pull pull) {
        return !commits.resets().isEmpty()
                && !rights.keepsOwnOffsets(
                        pull.header().consumerGroup(), pull.request().askedBy());
    }

    private void answerOrPark(Pull pull, PullChecks.Plan plan) {
        PullMessageHeader header = pull.header();
        ConsumeQueue queue = reader.find(header.topic(), header.queueId());
        boolean atEnd = queue == null ? pull.fromOffset() == 0 : pull.fromOffset() == queue.maxOffset();
        boolean waits = standing.isSlave() ? slavePulls.waits(pull, queue) : atEnd;
        if (waits && pull.mayWait()) {
            park(pull, plan, queue);
        } else {
            answer(pull, plan, queue);
        }
    }

    private void park(Pull pull, PullChecks.Plan plan, @Nullable ConsumeQueue queue) {
        long untilMs = standing.isSlave() && standing.isMasterHeard()
                ? SlavePulls.untilSentOnMs(pull, clock.monotonicMs())
                : pull.deadlineMs();
        Waiter waiter = waiter(pull, plan.filter(), untilMs);
        switch (waiters.park(waiter)) {
            case CLOSED -> answer(pull, plan, queue);
            case FULL -> // an answer of "nothing found" would be asked again at once, by everyone, just now
                pull.reply()
                        .fail(
                                ResponseCode.SYSTEM_BUSY,
                                "[OVERLOAD]pull: " + waiters.count() + " pulls wait, limit " + PullWaiters.MAX_WAITING
                                        + ", and hold " + waiters.heldBytes() + " bytes, limit "
                                        + PullWaiters.MAX_WAITING_BYTES + ", try again");
            case PARKED -> {
                if (isOver(pull) && waiters.claim(waiter)) {
                    goOn(pull, pull.fromOffset());
                }
            }
        }
    }

    private Waiter waiter(Pull pull, MessageFilter filter, long untilMs) {
        PullMessageHeader header = pull.header();
        return new Waiter(
                new QueuePlace(header.consumerGroup(), header.topic(), header.queueId(), pull.fromOffset()),
                filter,
                untilMs,
                pull.request().from(),
                PullTexts.sizeBytes(header),
                reason -> wake(pull, reason));
    }

    /** Whether a message or a reset came between the look at the queue and the parking. */
    private boolean isOver(Pull pull) {
        PullMessageHeader header = pull.header();
        ConsumeQueue now = reader.find(header.topic(), header.queueId());
        return (now != null && now.maxOffset() > pull.fromOffset())
                || (goesByResets(pull)
                        && commits.resets().isPending(header.consumerGroup(), header.topic(), header.queueId()));
    }

    private void wake(Pull pull, Waiter.Reason reason) {
        switch (reason) {
            case GONE -> pull.reply().fail(ResponseCode.SYSTEM_ERROR, "the connection closed while the pull waited");
            case ARRIVAL, CHANGED -> goOn(pull, pull.fromOffset());
            case DEADLINE -> pull.reply().resume(() -> again(pull.lastTry()));
        }
    }

    private void answer(Pull pull, PullChecks.Plan plan, @Nullable ConsumeQueue queue) {
        PullAnswer answer = reader.readLoaded(pull.header(), pull.fromOffset(), queue, plan);
        if (answer == null) {
            ColdAnswer.give(
                    reader.coldReaders(),
                    pull.reply(),
                    () -> send(pull, reader.read(pull.header(), pull.fromOffset(), queue, plan)));
        } else if (answer.status() == ReadStatus.NO_MATCHED_MESSAGE
                && pull.hasWaited()
                && pull.deadlineMs() > clock.monotonicMs()) {
            goOn(pull, answer.header().nextBeginOffset()); // those were for others
        } else {
            send(pull, answer);
        }
    }

    /** Later, so that a stream of messages for others does not keep the event loop. */
    private void goOn(Pull pull, long fromOffset) {
        pull.reply().resume(() -> again(pull.goneOn(fromOffset)));
    }

    private void send(Pull pull, PullAnswer answer) {
        boolean moved = pull.hasPassedMessages() && answer.status() == ReadStatus.OFFSET_OVERFLOW_ONE;
        PullAnswer told = moved ? answer.withNothingMatched() : answer; // so that it does not look at them again
        (standing.isSlave() ? slavePulls.told(pull, told) : told).send(pull.reply());
    }
}
