package dev.perigee.broker.offset;

import dev.perigee.broker.check.Refusal;
import dev.perigee.broker.fact.FactAppender;
import dev.perigee.broker.fact.FactDesk;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.broker.view.OffsetView;
import dev.perigee.broker.view.TopicView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.OffsetsCommitted;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.remoting.Reply;
import dev.perigee.store.queue.ConsumeQueue;
import dev.perigee.store.queue.ConsumeQueueView;
import dev.perigee.store.view.Duty;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

    /**
     * Distinct queues of groups whose commits are not logged yet, at most (some more while several threads come at the
     * same time); a commit of one more queue is refused as busy, one of a queue that waits already is always taken.
     */
    static final int MAX_PENDING = 500_000;

    /** Requests waiting for offsets to be logged at most; one more is refused as busy. */
    static final int MAX_ASKING = 10_000;

    /** What a request is told that would go beyond {@link #MAX_PENDING} or {@link #MAX_ASKING}. */
    public static final String TOO_MANY = "[OVERLOAD]too many offsets wait to be logged, try again";

    /** Held while facts of offsets are on their way. */
    private static final String CLAIM = "offsets";

    private record Pending(long offset, boolean reset, boolean appended) {
        Pending asAppended() {
            return new Pending(offset, reset, true);
        }
    }

    private record Flushing(long sequence, Runnable then) {}

    private final OffsetView view;
    private final TopicView topics;
    private final ConsumeQueueView queues;
    private final FactDesk desk;
    private final FactAppender sink;

    private final ConcurrentHashMap<GroupQueue, Pending> pending = new ConcurrentHashMap<>();
    private final AtomicBoolean dirty = new AtomicBoolean();
    private final Queue<Runnable> asked = new ConcurrentLinkedQueue<>();
    private final AtomicInteger asking = new AtomicInteger(); // in asked and flushing

    // view loop only
    private final TreeSet<Long> inFlight = new TreeSet<>();
    private final List<Flushing> flushing = new ArrayList<>();
    private long sequence;
    private long drainedMs = Long.MIN_VALUE / 2;

    public OffsetCommits(OffsetView view, TopicView topics, ConsumeQueueView queues, FactDesk desk, FactAppender sink) {
        this.view = view;
        this.topics = topics;
        this.queues = queues;
        this.desk = desk;
        this.sink = sink;
    }

    /** Why an offset of a queue is not acceptable; null when it is. */
    @Nullable
    Refusal refuse(String topic, int queueId, long offset) {
        ConsumeQueue queue = queues.find(topic, queueId);
        long end = queue == null ? 0 : queue.maxOffset();
        TopicConfig config = topics.current().find(topic);
        int queueCount = config == null ? 0 : Math.max(config.readQueueNums(), config.writeQueueNums());
        if (queueId < 0 || (queueId >= queueCount && queue == null)) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "queueId " + queueId + " is not between 0 and " + (queueCount - 1) + ", the queues of topic "
                            + topic);
        }
        if (offset < 0 || offset > end) {
            return new Refusal(
                    ResponseCode.INVALID_PARAMETER,
                    "commitOffset " + offset + " is not between 0 and " + end + ", the end of queue " + queueId
                            + " of topic " + topic);
        }
        return null;
    }

    /**
     * Commits an offset, smaller ones too. The caller has checked it with {@link #refuse}.
     *
     * @return false, and nothing is committed, at {@link #MAX_PENDING}
     */
    public boolean set(String group, String topic, int queueId, long offset) {
        return merge(new GroupQueue(group, topic, queueId), offset, true);
    }

    /**
     * Commits an offset if it is larger than what is known and within the queue; otherwise, and at {@link #MAX_PENDING},
     * nothing happens: the reader commits again with its next pull.
     */
    public void raise(String group, String topic, int queueId, long offset) {
        if (offset > 0 && refuse(topic, queueId, offset) == null) {
            boolean unused = merge(new GroupQueue(group, topic, queueId), offset, false);
        }
    }

    /** The newest offset known, logged or not; −1 when there is none. For statistics, not for clients. */
    public long newest(String group, String topic, int queueId) {
        Pending unlogged = pending.get(new GroupQueue(group, topic, queueId));
        return unlogged != null ? unlogged.offset() : view.find(group, topic, queueId);
    }

    /** Drops what is not logged yet of a deleted topic: a new one of that name starts anew. View loop. */
    public void forgetTopic(String topic) {
        pending.keySet().removeIf(key -> key.topic().equals(topic));
    }

    /** Drops what is not logged yet of a group deleted with its offsets. View loop. */
    public void forgetGroup(String group) {
        pending.keySet().removeIf(key -> key.group().equals(group));
    }

    /** Whether a commit of this queue is not applied yet. */
    boolean isPending(String group, String topic, int queueId) {
        return !pending.isEmpty() && pending.containsKey(new GroupQueue(group, topic, queueId));
    }

    /**
     * Logs everything that is pending, at once.
     *
     * @param reply guards the step, and is answered as busy at {@link #MAX_ASKING}
     * @param then run on the view loop when it is applied, or could not be logged
     */
    public void flush(Reply<?> reply, Runnable then) {
        if (asking.incrementAndGet() > MAX_ASKING) {
            asking.decrementAndGet();
            reply.fail(ResponseCode.SYSTEM_BUSY, TOO_MANY);
        } else {
            asked.add(() -> reply.guard(then));
            desk.wake();
        }
    }

    /** As above for the last flush of all, before the broker stops: never refused. */
    public void flushLast(Runnable then) {
        asking.incrementAndGet();
        asked.add(then);
        desk.wake();
    }

    @Override
    public int doWork(long nowMs) {
        boolean wanted = !asked.isEmpty();
        if (!wanted && (!dirty.get() || nowMs - drainedMs < PERIOD_MS)) {
            return 0;
        }
        int facts = drain();
        drainedMs = nowMs;
        Runnable then;
        while ((then = asked.poll()) != null) {
            flushing.add(new Flushing(sequence, then));
        }
        runFlushed();
        return facts + 1;
    }

    @Override
    public long nextDeadlineMs() {
        return dirty.get() ? drainedMs + PERIOD_MS : Long.MAX_VALUE;
    }

    private boolean merge(GroupQueue key, long offset, boolean mayLower) {
        if (pending.mappingCount() >= MAX_PENDING && !pending.containsKey(key)) {
            return false;
        }
        Pending now = pending.compute(key, (k, before) -> {
            long known = before != null ? before.offset() : view.stored(k.group(), k.topic(), k.queueId());
            if (offset == known || (offset < known && !mayLower)) {
                return before;
            }
            return new Pending(offset, offset < known || (before != null && before.reset()), false);
        });
        if (now != null && !now.appended() && !dirty.get() && dirty.compareAndSet(false, true)) {
            desk.wake();
        }
        return true;
    }

    private int drain() {
        dirty.set(false);
        Map<GroupQueue, Pending> raised = new HashMap<>();
        Map<GroupQueue, Pending> resets = new HashMap<>();
        int facts = 0;
        Iterator<Map.Entry<GroupQueue, Pending>> all = pending.entrySet().iterator();
        while (all.hasNext()) {
            Map.Entry<GroupQueue, Pending> entry = all.next();
            GroupQueue key = entry.getKey();
            Pending commit = entry.getValue();
            if (commit.appended()) {
                continue;
            }
            if (desk.isClaimed(FactKeys.topic(key.topic())) || desk.isClaimed(FactKeys.group(key.group()))) {
                dirty.set(true); // the topic or group may be about to go: look again next time
                continue;
            }
            if (topics.current().find(key.topic()) == null
                    || refuse(key.topic(), key.queueId(), commit.offset()) != null) {
                pending.remove(key, commit); // its queue went, and a new one of that name may be shorter
                continue;
            }
            Map<GroupQueue, Pending> into = commit.reset() ? resets : raised;
            into.put(key, commit);
            if (into.size() >= MAX_ENTRIES_PER_FACT) {
                append(into, commit.reset());
                into.clear();
                facts++;
            }
        }
        return facts + append(raised, false) + append(resets, true);
    }

    private int append(Map<GroupQueue, Pending> commits, boolean reset) {
        if (commits.isEmpty()) {
            return 0;
        }
        Map<GroupQueue, Pending> sent = new HashMap<>();
        List<QueueCommit> entries = new ArrayList<>(commits.size());
        commits.forEach((key, commit) -> {
            Pending marked = commit.asAppended();
            if (pending.replace(key, commit, marked)) {
                sent.put(key, marked);
                entries.add(new QueueCommit(key.group(), key.topic(), key.queueId(), commit.offset()));
            } else {
                dirty.set(true);
            }
        });
        if (entries.isEmpty()) {
            return 0;
        }
        long number = ++sequence;
        inFlight.add(number);
        desk.hold(CLAIM);
        sink.append(
                reset ? OffsetsCommitted.reset(entries) : OffsetsCommitted.changes(entries),
                (result, endOffset) ->
                        desk.afterAppend(result, endOffset, () -> applied(number, sent), () -> failed(number, sent)));
        return 1;
    }

    private void applied(long number, Map<GroupQueue, Pending> sent) {
        sent.forEach(pending::remove);
        inFlight.remove(number);
        runFlushed();
    }

    private void failed(long number, Map<GroupQueue, Pending> sent) {
        sent.forEach(
                (key, commit) -> pending.replace(key, commit, new Pending(commit.offset(), commit.reset(), false)));
        dirty.set(true);
        inFlight.remove(number);
        runFlushed();
    }

    private void runFlushed() {
        if (inFlight.isEmpty()) {
            desk.letGo(CLAIM);
        }
        long firstInFlight = inFlight.isEmpty() ? Long.MAX_VALUE : inFlight.first();
        flushing.removeIf(waiting -> {
            boolean over = waiting.sequence() < firstInFlight;
            if (over) {
                asking.decrementAndGet();
                waiting.then().run();
            }
            return over;
        });
    }
}
