package dev.perigee.broker.pull;

import dev.perigee.broker.check.ColdAnswer;
import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.config.LiveConfig;
import dev.perigee.broker.config.LiveSettings;
import dev.perigee.broker.group.GroupCreation;
import dev.perigee.broker.offset.CommitRights;
import dev.perigee.broker.offset.OffsetCommits;
import dev.perigee.broker.offset.PendingResets;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.header.pull.PullMessageHeader;
import dev.perigee.protocol.header.pull.PullMessageResponse;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.Request;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.store.queue.ConsumeQueue;
import org.jspecify.annotations.Nullable;

/**
 * Answers PULL_MESSAGE (11) and LITE_PULL_MESSAGE (361). What is in memory is answered on the event loop; where the disk
 * has to be asked, the read moves to a cold reader.
 */
@ThreadSafe
public final class PullHandler implements RequestHandler<PullMessageHeader, PullMessageResponse> {
    /** Longest wait of a parked pull, whatever it asks for. */
    static final long MAX_SUSPEND_MS = 60_000;

    private final PullChecks checks;
    private final QueueReader reader;
    private final PullWaiters waiters;
    private final CommitRights rights;
    private final OffsetCommits commits;
    private final GroupCreation groupCreation;
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
        if (checks.knowsGroup(header.consumerGroup())) {
            pull(request, reply);
        } else {
            pullWithNewGroup(request, reply);
        }
    }

    private void pullWithNewGroup(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply) {
        String group = request.header().consumerGroup();
        PullChecks.Plan plan =
                checks.checkAsNew(request.code(), request.header(), config.settings(), groupCreation.refuseNew(group));
        if (plan.refusal() != null) {
            new Pull(request, reply, false).refuse(plan);
        } else {
            groupCreation.ensure(group, reply, () -> pull(request, reply));
        }
    }

    private void pull(Request<PullMessageHeader> request, Reply<PullMessageResponse> reply) {
        PullMessageHeader header = request.header();
        Pull pull = new Pull(request, reply, PullFlags.maySuspend(header.sysFlag()));
        LiveSettings live = config.settings();
        PullChecks.Plan plan = admit(pull, live);
        if (plan == null) {
            return;
        }
        boolean mayCommit = rights.pulls(
                header.consumerGroup(), header.topic(), header.queueId(), header.queueOffset(), request.from());
        if (PullFlags.commits(header.sysFlag()) && mayCommit) { // before it parks, for a reset may come then
            commits.raise(header.consumerGroup(), header.topic(), header.queueId(), header.commitOffset());
        }
        answerOrPark(pull, plan, live);
    }

    /** A pull that waited goes on. */
    private void again(Pull pull) {
        LiveSettings live = config.settings();
        PullChecks.Plan plan = admit(pull, live);
        if (plan != null) {
            answerOrPark(pull, plan, live);
        }
    }

    /** What the pull may do; null when it is answered: it is refused, or its queue was reset, so its offsets do not count. */
    private PullChecks.@Nullable Plan admit(Pull pull, LiveSettings live) {
        PullMessageHeader header = pull.header();
        PullChecks.Plan plan = checks.check(pull.request().code(), header, live);
        if (plan.refusal() != null) {
            pull.refuse(plan);
            return null;
        }
        long movedTo = commits.resets()
                .take(
                        header.consumerGroup(),
                        header.topic(),
                        header.queueId(),
                        header.queueOffset(),
                        pull.request().from());
        if (movedTo != PendingResets.NONE) {
            reader.moved(header, plan, movedTo).send(pull.reply());
            return null;
        }
        return plan;
    }

    private void answerOrPark(Pull pull, PullChecks.Plan plan, LiveSettings live) {
        PullMessageHeader header = pull.header();
        ConsumeQueue queue = reader.find(header.topic(), header.queueId());
        boolean atEnd = queue == null ? header.queueOffset() == 0 : header.queueOffset() == queue.maxOffset();
        if (!atEnd || !pull.maySuspend()) {
            answer(pull, plan, queue);
            return;
        }
        long waitMs =
                live.longPolling() ? Math.min(header.suspendTimeoutMillis(), MAX_SUSPEND_MS) : live.shortPollingMs();
        Waiter waiter = new Waiter(
                new QueuePlace(header.topic(), header.queueId(), header.queueOffset()),
                plan.filter(),
                clock.monotonicMs() + waitMs,
                pull.request().from(),
                PullTexts.sizeBytes(header),
                reason -> wake(pull, reason));
        if (!waiters.park(waiter)) {
            answer(pull, plan, queue);
            return;
        }
        if (isOver(header) && waiters.claim(waiter)) {
            again(pull.lastTry());
        }
    }

    /** Whether a message or a reset came between the look at the queue and the parking. */
    private boolean isOver(PullMessageHeader header) {
        ConsumeQueue now = reader.find(header.topic(), header.queueId());
        return (now != null && now.maxOffset() > header.queueOffset())
                || commits.resets().isPending(header.consumerGroup(), header.topic(), header.queueId());
    }

    private void wake(Pull pull, Waiter.Reason reason) {
        if (reason == Waiter.Reason.GONE) {
            pull.reply().fail(ResponseCode.SYSTEM_ERROR, "the connection closed while the pull waited");
        } else {
            pull.reply().resume(() -> again(pull.lastTry()));
        }
    }

    private void answer(Pull pull, PullChecks.Plan plan, @Nullable ConsumeQueue queue) {
        PullAnswer answer = reader.readLoaded(pull.header(), queue, plan);
        if (answer != null) {
            answer.send(pull.reply());
            return;
        }
        ColdAnswer.give(
                reader.coldReaders(),
                pull.reply(),
                () -> reader.read(pull.header(), queue, plan).send(pull.reply()));
    }
}
