package dev.perigee.broker.offset;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.fact.FactAppender;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.OffsetsCommitted;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Connection;
import dev.perigee.remoting.Reply;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.Duty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Offset commits that are not logged yet, and the duty that logs them: as one coalesced fact at most every {@link
 * #PERIOD_MS}, or at once when somebody asks for an offset that is newer here than in the log. A commit is one entry in a
 * map; only the last one of a second reaches the log.
 */
@ThreadSafe
public final class OffsetCommits implements Duty {
    /** Longest time a commit stays unlogged. */
    public static final long PERIOD_MS = 1_000;

    /** Entries of one fact; more make more facts. */
    static final int MAX_ENTRIES_PER_FACT = 2_000;

    /** What a request is told that would go beyond {@link PendingCommits#MAX} or {@link FlushWaiters#MAX_WAITING}. */
    static final String TOO_MANY = "[OVERLOAD]too many offsets wait to be logged, try again";

    private static final String NOT_LOGGED =
            "the log does not take the offsets now: they count when it does, unless the broker ends before";

    private static final String DROPPED = "[REJECTREQUEST]this broker is the master no more: try again";

    /** Held while facts of offsets are on their way. */
    private static final String CLAIM = FactKeys.OFFSETS;

    private final QueueBounds bounds;
    private final FactDesk desk;
    private final FactAppender sink;

    private final PendingResets resets;
    private final PendingCommits pending;
    private final AtomicBoolean dirty = new AtomicBoolean();
    /** How often what was not logged was forgotten. */
    private final AtomicInteger drops = new AtomicInteger();

    private final FlushWaiters waiters = new FlushWaiters();
    private final KeptWaiters keptWaiters = new KeptWaiters();
    private long drainedMs = Long.MIN_VALUE / 2; // view loop only
    private boolean skipped; // by the last drain; view loop only
    private volatile Consumer<String> resetLogged = topic -> {};
    private final HeldQueries heldQueries = new HeldQueries();

    public OffsetCommits(
            OffsetView view, TopicView topics, ConsumeQueueView queues, FactDesk desk, FactAppender sink, Clock clock) {
        this.resets = new PendingResets(clock);
        this.pending = new PendingCommits(view, resets);
        this.bounds = new QueueBounds(topics, queues);
        this.desk = desk;
        this.sink = sink;
    }

    /** Sets who is told the topic of each reset of which pulls are to be told from now on; on any thread. */
    public void onResetLogged(Consumer<String> listener) {
        resetLogged = listener;
    }

    /** See {@link QueueBounds#refuse}. */
    @Nullable
    Refusal refuse(String topic, int queueId, long offset) {
        return bounds.refuse(topic, queueId, offset);
    }

    /**
     * Commits an offset of a reader, smaller ones too. The caller has checked it with {@link #refuse}.
     *
     * @param from the connection the reader sent it on
     */
    CommitOutcome set(String group, String topic, int queueId, long offset, Connection from) {
        return set(new GroupQueue(group, topic, queueId), offset, PendingCommits.By.READER, from);
    }

    /** As {@link #set}, unless the offset is smaller than what is known. */
    CommitOutcome setLarger(String group, String topic, int queueId, long offset, Connection from) {
        CommitOutcome outcome = set(new GroupQueue(group, topic, queueId), offset, PendingCommits.By.RISING, from);
        return outcome == CommitOutcome.TAKEN && newest(group, topic, queueId) > offset
                ? CommitOutcome.SMALLER
                : outcome;
    }

    private CommitOutcome set(GroupQueue key, long offset, PendingCommits.By by, Connection from) {
        if (resets.isHeldBack(key, from)) {
            return CommitOutcome.RESET_PENDING;
        }
        if (pending.isFull(key)) {
            return CommitOutcome.BUSY;
        }
        merge(key, offset, by, from);
        return CommitOutcome.TAKEN;
    }

    /**
     * Commits an offset if it is larger than what is known and within the queue; otherwise, while a reset is pending, and
     * at {@link PendingCommits#MAX}, nothing happens: the reader commits again with its next pull.
     *
     * @return whether the group stands there now
     */
    public boolean raise(String group, String topic, int queueId, long offset) {
        if (offset > 0 && refuse(topic, queueId, offset) == null) {
            GroupQueue key = new GroupQueue(group, topic, queueId);
            if (!pending.isFull(key)) {
                merge(key, offset, PendingCommits.By.RISING, null);
                return newest(group, topic, queueId) == offset;
            }
        }
        return false;
    }

    /** As {@link #raise}, of an offset that was within its queue when it was committed: the log may not show that far again yet. On a slave. */
    void takeUp(String group, String topic, int queueId, long offset) {
        GroupQueue key = new GroupQueue(group, topic, queueId);
        if (!pending.isFull(key)) {
            merge(key, offset, PendingCommits.By.RISING, null);
        }
    }

    /**
     * Sets offsets of many queues by a tool, all or none, and logs them at once. Members may not know of it: {@link #resets}
     * tells them, and until then their commits are not obeyed.
     *
     * @param all each queue once; the offsets lie within the queues
     * @param holders the members that may hold messages from before
     * @param reply guards the step; answered as busy, with the limit, when there is no room for all of them
     * @param then run on the view loop when they are applied; the reply is answered when they could not be logged
     * @return whether it was done
     */
    public boolean reset(List<QueueCommit> all, Holders holders, Reply<?> reply, Runnable then) {
        if (!resets.hasRoom(all.size())) {
            reply.fail(
                    ResponseCode.SYSTEM_BUSY,
                    "[OVERLOAD]of too many queues members do not know yet that they were reset: " + all.size()
                            + " more would exceed the limit " + PendingResets.MAX_QUEUES);
            return false;
        }
        if (!reserve(all, reply)) {
            return false;
        }
        for (QueueCommit wish : all) {
            GroupQueue key = GroupQueue.of(wish);
            resets.put(key, wish.offset(), holders); // first, so that no commit of a member comes behind the new offset
            merge(key, wish.offset(), PendingCommits.By.TOOL, null);
            if (!pending.contains(key, wish.offset()) && resets.logged(key, wish.offset())) {
                resetLogged.accept(key.topic()); // where the group stood already
            }
        }
        ask(reply, () -> {
            Refusal gone = all.stream()
                    .map(wish -> refuse(wish.topic(), wish.queueId(), wish.offset()))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            if (gone != null) {
                gone.answer(reply);
            } else if (all.stream().anyMatch(wish -> pending.contains(GroupQueue.of(wish), wish.offset()))) {
                reply.fail(ResponseCode.SERVICE_NOT_AVAILABLE, NOT_LOGGED);
            } else {
                then.run();
            }
        });
        return true;
    }

    /** The resets of which no pull was told yet. */
    public PendingResets resets() {
        return resets;
    }

    /** The newest offset known, logged or not; −1 when there is none. For statistics, not for clients. */
    public long newest(String group, String topic, int queueId) {
        return pending.newest(group, topic, queueId);
    }

    /** The offset that is in the log and applied; −1 when there is none. For clients. */
    long applied(String group, String topic, int queueId) {
        return pending.applied(group, topic, queueId);
    }

    /** What is not applied yet; on a slave what its master does not have yet. */
    PendingCommits pending() {
        return pending;
    }

    /** On a slave: who waits for an offset to be kept. */
    KeptWaiters keptWaiters() {
        return keptWaiters;
    }

    /** The topics in which a group has an offset, logged or not, sorted. */
    public Set<String> topicsOf(String group) {
        return pending.topicsOf(group);
    }

    /** The groups that have an offset in a topic, logged or not, sorted. */
    public Set<String> groupsOf(String topic) {
        return pending.groupsOf(topic);
    }

    /** Every group with an offset, logged or not, sorted. */
    public Set<String> groups() {
        return pending.groups();
    }

    /** Drops what is not logged yet of a deleted topic: a new one of that name starts anew. View loop. */
    public void forgetTopic(String topic) {
        resets.forgetTopic(topic);
        pending.forgetTopic(topic);
    }

    /** Drops what is not logged yet of a group deleted with its offsets. View loop. */
    public void forgetGroup(String group) {
        resets.forgetGroup(group);
        pending.forgetGroup(group);
    }

    /** Whether a commit of this queue is not applied yet. */
    boolean isPending(String group, String topic, int queueId) {
        return pending.contains(group, topic, queueId);
    }

    /** Who asks for an offset and is told later only. */
    public HeldQueries heldQueries() {
        return heldQueries;
    }

    /** Forgets all that is not logged, for another broker may be the master now; who waits for it is told so. View loop. */
    public void drop() {
        drops.incrementAndGet();
        dirty.set(false);
        heldQueries.drop(DROPPED);
        pending.clear();
        resets.clear();
        waiters.gather();
        waiters.take();
        runFlushed();
    }

    /**
     * Logs everything that is pending, at once.
     *
     * @param reply guards the step, and is answered as busy at {@link FlushWaiters#MAX_WAITING}
     * @param then run on the view loop when it is applied, or could not be logged
     */
    public void flush(Reply<?> reply, Runnable then) {
        if (reserve(List.of(), reply)) {
            ask(reply, then);
        }
    }

    /** As above for the broker itself, before it stops and when it starts: never refused. */
    public void flushAnyhow(Runnable then) {
        waiters.reserveAnyhow();
        waiters.ask(then);
        desk.wake();
    }

    @Override
    public int doWork(long nowMs) {
        int gone = heldQueries.look(nowMs);
        boolean isDue = dirty.get() && nowMs - drainedMs >= PERIOD_MS;
        if (!waiters.isAsked() && !isDue) {
            return gone;
        }
        skipped = false;
        waiters.gather(); // first: who asks while the rest is looked through may have committed behind it
        int facts = drain(nowMs);
        if (skipped) {
            return facts; // who asked waits until what claims the group or topic is applied, which runs this loop again
        }
        waiters.take();
        runFlushed();
        return facts + 1;
    }

    @Override
    public long nextDeadlineMs() {
        long dueMs = dirty.get() ? drainedMs + PERIOD_MS : Long.MAX_VALUE;
        return Math.min(dueMs, heldQueries.nextDeadlineMs());
    }

    /** Takes a place among those that ask, when there is also room for these offsets; else the reply is answered. */
    private boolean reserve(List<QueueCommit> all, Reply<?> reply) {
        long more = pending.beyondRoom(all);
        if (more > 0) {
            reply.fail(
                    ResponseCode.SYSTEM_BUSY,
                    TOO_MANY + ": " + more + " more would exceed the limit " + PendingCommits.MAX
                            + ", nothing was set");
            return false;
        }
        if (!waiters.reserve()) {
            reply.fail(ResponseCode.SYSTEM_BUSY, TOO_MANY);
            return false;
        }
        return true;
    }

    /** With a reserved place. */
    private void ask(Reply<?> reply, Runnable then) {
        int before = drops.get();
        waiters.ask(() -> reply.guard(() -> {
            if (drops.get() == before) {
                then.run();
            } else {
                reply.fail(ResponseCode.SYSTEM_BUSY, DROPPED);
            }
        }));
        desk.wake();
    }

    private void merge(GroupQueue key, long offset, PendingCommits.By by, @Nullable Connection from) {
        if (pending.merge(key, offset, by, from) && !dirty.get() && dirty.compareAndSet(false, true)) {
            desk.wake();
        }
    }

    private int drain(long nowMs) {
        drainedMs = nowMs;
        dirty.set(false);
        Map<GroupQueue, PendingCommits.Pending> raised = new HashMap<>();
        Map<GroupQueue, PendingCommits.Pending> lowered = new HashMap<>();
        int facts = 0;
        Iterator<Map.Entry<GroupQueue, PendingCommits.Pending>> all = pending.iterator();
        while (all.hasNext()) {
            Map.Entry<GroupQueue, PendingCommits.Pending> entry = all.next();
            GroupQueue key = entry.getKey();
            PendingCommits.Pending commit = entry.getValue();
            if (commit.appended()) {
                continue;
            }
            if (desk.isClaimed(FactKeys.topic(key.topic())) || desk.isClaimed(FactKeys.group(key.group()))) {
                skipped = true;
                dirty.set(true); // the topic or group may be about to go: look again next time
                continue;
            }
            if (!bounds.isTopic(key.topic()) || refuse(key.topic(), key.queueId(), commit.offset()) != null) {
                if (pending.remove(key, commit)) { // its queue went, and a new one of that name may be shorter
                    resets.forget(key);
                }
                continue;
            }
            Map<GroupQueue, PendingCommits.Pending> into = commit.reset() ? lowered : raised;
            into.put(key, commit);
            if (into.size() >= MAX_ENTRIES_PER_FACT) {
                append(into, commit.reset());
                into.clear();
                facts++;
            }
        }
        return facts + append(raised, false) + append(lowered, true);
    }

    private int append(Map<GroupQueue, PendingCommits.Pending> commits, boolean reset) {
        if (commits.isEmpty()) {
            return 0;
        }
        Map<GroupQueue, PendingCommits.Pending> sent = new HashMap<>();
        List<QueueCommit> entries = new ArrayList<>(commits.size());
        commits.forEach((key, commit) -> {
            PendingCommits.Pending marked = pending.appended(key, commit);
            if (marked != null) {
                sent.put(key, marked);
                entries.add(new QueueCommit(key.group(), key.topic(), key.queueId(), commit.offset()));
            } else {
                dirty.set(true);
            }
        });
        if (entries.isEmpty()) {
            return 0;
        }
        long number = waiters.begin();
        desk.hold(CLAIM);
        sink.append(
                reset ? OffsetsCommitted.reset(entries) : OffsetsCommitted.changes(entries),
                (result, endOffset) ->
                        desk.afterAppend(result, endOffset, () -> applied(number, sent), () -> failed(number, sent)));
        return 1;
    }

    private void applied(long number, Map<GroupQueue, PendingCommits.Pending> sent) {
        Set<String> resetTopics = new TreeSet<>();
        sent.forEach((key, commit) -> {
            if (pending.remove(key, commit) && resets.logged(key, commit.offset())) {
                resetTopics.add(key.topic());
            }
        });
        resetTopics.forEach(resetLogged);
        waiters.end(number);
        runFlushed();
    }

    private void failed(long number, Map<GroupQueue, PendingCommits.Pending> sent) {
        pending.notAppended(sent);
        dirty.set(true);
        waiters.end(number);
        runFlushed();
    }

    private void runFlushed() {
        if (waiters.isIdle()) {
            desk.letGo(CLAIM);
        }
        waiters.run();
    }
}
