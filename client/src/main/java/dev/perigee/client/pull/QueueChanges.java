package dev.perigee.client.pull;

import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings changes of assignment to the user's listener, in order and away from the client loop.
 *
 * <p>The lock guards what waits: changes are noted on the client loop and taken by the listener's thread, which may be busy
 * for as long as the user likes.
 */
@ThreadSafe
final class QueueChanges {
    /** Changes that may wait; beyond it only the newest of each topic is kept. */
    static final int MAX_WAITING = 1_000;

    private static final Logger LOG = LoggerFactory.getLogger(QueueChanges.class);

    private record Change(String topic, Set<MessageQueue> all, Set<MessageQueue> mine) {}

    private final Executor thread;
    private final Map<String, Change> last = new HashMap<>();
    private final ArrayDeque<Change> waiting = new ArrayDeque<>();
    private boolean running;
    private volatile @Nullable QueueChangeListener listener;

    /** @param thread runs the listener, one call at a time */
    QueueChanges(Executor thread) {
        this.thread = thread;
    }

    /** With a daemon thread of its own, which {@link #close} ends. */
    static QueueChanges onOwnThread(String group) {
        return new QueueChanges(Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "perigee-queue-change-" + group);
            thread.setDaemon(true);
            return thread;
        }));
    }

    /** From now on changes go there. */
    void tell(QueueChangeListener told) {
        this.listener = told;
    }

    /** Notes what a round came to; the same as before is no change. */
    synchronized void assigned(String topic, Set<MessageQueue> all, Set<MessageQueue> mine) {
        Change change = new Change(topic, InOrder.copyOf(all), InOrder.copyOf(mine));
        Change before = all.isEmpty() ? last.remove(topic) : last.put(topic, change);
        if (listener == null || change.equals(before) || (before == null && all.isEmpty())) {
            return;
        }
        if (waiting.size() >= MAX_WAITING) {
            makeRoom(topic);
        }
        waiting.add(change);
        if (!running) {
            running = true;
            thread.execute(this::deliver);
        }
    }

    private void makeRoom(String topic) {
        LOG.warn("event=queue_changes_merged topic={} waiting={}", topic, waiting.size());
        Set<String> newer = new HashSet<>();
        newer.add(topic);
        for (Iterator<Change> all = waiting.descendingIterator(); all.hasNext(); ) {
            if (!newer.add(all.next().topic())) {
                all.remove();
            }
        }
        if (waiting.size() >= MAX_WAITING) {
            waiting.removeFirst();
        }
    }

    private synchronized @Nullable Change next() {
        Change change = waiting.poll();
        running = change != null;
        return change;
    }

    private void deliver() {
        for (Change change = next(); change != null; change = next()) {
            QueueChangeListener told = listener;
            if (told != null) {
                tell(told, change);
            }
        }
    }

    /** What waits is not told any more; a call under way goes on. */
    void close() {
        listener = null;
        if (thread instanceof ExecutorService own) {
            own.shutdown();
        }
    }

    private static void tell(QueueChangeListener told, Change change) {
        try {
            told.changed(change.topic, change.all, change.mine);
        } catch (RuntimeException | Error e) { // the next change is told all the same
            LOG.warn("event=queue_change_listener_failed topic={}", change.topic, e);
        }
    }
}
