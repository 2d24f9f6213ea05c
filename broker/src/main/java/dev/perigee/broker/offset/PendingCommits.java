package dev.perigee.broker.offset;

import dev.perigee.broker.view.OffsetView;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.remoting.Connection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Commits that are not applied from the log yet: of each queue of a group the newest. */
@ThreadSafe
final class PendingCommits {
    /**
     * Distinct queues of groups, at most (some more while several threads come at the same time); a commit of one more queue
     * is refused as busy, one of a queue that waits already is always taken.
     */
    static final int MAX = 500_000;

    /** Stands for an offset that may still be lost. */
    static final long NOT_KEPT = -2;

    /**
     * One commit.
     *
     * @param reset whether it moves the offset back
     * @param appended whether its fact is on its way
     * @param kept whether it is in the file of a slave, and so outlives that
     */
    record Pending(long offset, boolean reset, boolean appended, boolean kept) {
        private Pending asAppended() {
            return new Pending(offset, reset, true, kept);
        }

        private Pending asNotAppended() {
            return new Pending(offset, reset, false, kept);
        }

        private Pending asKept() {
            return new Pending(offset, reset, appended, true);
        }
    }

    /** Whose wish an offset is. */
    enum By {
        /** A reader's that may not move the offset back, or that comes with a pull: counts when it is larger. */
        RISING,
        /** A reader's. */
        READER,
        /** A tool's: counts also while a reset is pending. */
        TOOL
    }

    private final OffsetView view;
    private final PendingResets resets;
    private final ConcurrentHashMap<GroupQueue, Pending> pending = new ConcurrentHashMap<>();
    private final AtomicLong changes = new AtomicLong();

    PendingCommits(OffsetView view, PendingResets resets) {
        this.view = view;
        this.resets = resets;
    }

    /** Whether this one would be one too many. */
    boolean isFull(GroupQueue key) {
        return pending.mappingCount() >= MAX && !pending.containsKey(key);
    }

    /** How many of these would be too many: 0 when there is room for all, else the number of those not pending yet. */
    long beyondRoom(List<QueueCommit> all) {
        long more = all.stream()
                .filter(wish -> !pending.containsKey(GroupQueue.of(wish)))
                .count();
        return pending.mappingCount() + more > MAX ? more : 0;
    }

    /** Takes a commit, unless it changes nothing or a reset wins over it. Gives whether something is to be logged now. */
    boolean merge(GroupQueue key, long offset, By by, @Nullable Connection from) {
        boolean[] taken = {false};
        Pending now = pending.compute(key, (k, before) -> {
            long known = before != null ? before.offset() : view.stored(k.group(), k.topic(), k.queueId());
            boolean isLost =
                    by != By.TOOL && resets.isHeldBack(k, from); // asked in here, where a reset is before or behind
            if (isLost || offset == known || (offset < known && by == By.RISING)) {
                return before;
            }
            taken[0] = true;
            return new Pending(offset, offset < known || (before != null && before.reset()), false, false);
        });
        if (taken[0]) {
            changes.incrementAndGet(); // when it is there to be seen: who looks at the number first misses none
        }
        return now != null && !now.appended();
    }

    /** All, to be gone over once; they may change meanwhile. */
    Iterator<Map.Entry<GroupQueue, Pending>> iterator() {
        return pending.entrySet().iterator();
    }

    /** Marks a commit as on its way and gives its new form; null when there is a newer one. */
    @Nullable
    Pending appended(GroupQueue key, Pending commit) {
        Pending marked = commit.asAppended();
        return pending.replace(key, commit, marked) ? marked : null;
    }

    /** These could not be logged; they wait again, unless there are newer ones. */
    void notAppended(Map<GroupQueue, Pending> sent) {
        sent.forEach((key, commit) -> pending.replace(key, commit, commit.asNotAppended()));
    }

    /** Another number whenever a commit came, or one went because the log has it. */
    long changes() {
        return changes.get();
    }

    /** What waits, as it is now. */
    Map<GroupQueue, Pending> snapshot() {
        return new HashMap<>(pending);
    }

    /** Whether nothing waits. */
    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** These are in the file of a slave now; newer ones of their queues are not. */
    void kept(Map<GroupQueue, Pending> written) {
        written.forEach((key, before) -> pending.computeIfPresent(
                key, (k, commit) -> commit.offset() == before.offset() ? commit.asKept() : commit));
    }

    /** The commit of this queue that waits and is in the file of a slave; −1 when none waits, {@link #NOT_KEPT} when it is not there yet. */
    long keptOffset(GroupQueue key) {
        Pending commit = pending.get(key);
        return commit == null ? -1 : commit.kept() ? commit.offset() : NOT_KEPT;
    }

    /** Whether no commit of this queue waits that is not in the file of a slave. */
    boolean isKept(GroupQueue key) {
        Pending commit = pending.get(key);
        return commit == null || commit.kept();
    }

    /** What waits for this queue is forgotten. */
    void forget(GroupQueue key) {
        if (pending.remove(key) != null) {
            changes.incrementAndGet();
        }
    }

    /** All of them wait to be logged again. */
    void allNotAppended() {
        pending.replaceAll((key, commit) -> commit.asNotAppended());
    }

    /** This commit is applied, or its queue is gone; a newer one stays. Gives whether there is none. */
    boolean remove(GroupQueue key, Pending commit) {
        return pending.remove(key, commit);
    }

    /** The newest offset known, logged or not; −1 when there is none. */
    long newest(String group, String topic, int queueId) {
        Pending unlogged = pending.get(new GroupQueue(group, topic, queueId));
        return unlogged != null ? unlogged.offset() : view.find(group, topic, queueId);
    }

    /** The offset that is applied; −1 when there is none. */
    long applied(String group, String topic, int queueId) {
        return view.find(group, topic, queueId);
    }

    /** The commits that the log has by now, or a larger one: they are forgotten. Gives how many are left. */
    int dropApplied() {
        pending.forEach((key, commit) -> {
            if (view.stored(key.group(), key.topic(), key.queueId()) >= commit.offset()
                    && pending.remove(key, commit)) {
                changes.incrementAndGet();
            }
        });
        return pending.size();
    }

    /** Whether a commit of this queue is not applied yet. */
    boolean contains(String group, String topic, int queueId) {
        return !pending.isEmpty() && pending.containsKey(new GroupQueue(group, topic, queueId));
    }

    /** Whether this commit of a queue is not applied yet. */
    boolean contains(GroupQueue key, long offset) {
        Pending unlogged = pending.get(key);
        return unlogged != null && unlogged.offset() == offset;
    }

    /** The topics in which a group has an offset, logged or not, sorted. */
    Set<String> topicsOf(String group) {
        Set<String> all = view.topicsOf(group);
        for (GroupQueue key : pending.keySet()) {
            if (key.group().equals(group)) {
                all.add(key.topic());
            }
        }
        return all;
    }

    /** The groups that have an offset in a topic, logged or not, sorted. */
    Set<String> groupsOf(String topic) {
        Set<String> all = view.groupsOf(topic);
        for (GroupQueue key : pending.keySet()) {
            if (key.topic().equals(topic)) {
                all.add(key.group());
            }
        }
        return all;
    }

    /** Every group with an offset, logged or not, sorted. */
    Set<String> groups() {
        Set<String> all = new TreeSet<>();
        view.all().keySet().forEach(key -> all.add(key.group()));
        pending.keySet().forEach(key -> all.add(key.group()));
        return all;
    }

    void clear() {
        pending.clear();
        changes.incrementAndGet();
    }

    void forgetTopic(String topic) {
        if (pending.keySet().removeIf(key -> key.topic().equals(topic))) {
            changes.incrementAndGet();
        }
    }

    void forgetGroup(String group) {
        if (pending.keySet().removeIf(key -> key.group().equals(group))) {
            changes.incrementAndGet();
        }
    }
}
