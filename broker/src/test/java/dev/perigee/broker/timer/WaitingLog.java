package dev.perigee.broker.timer;

import dev.perigee.broker.carry.ViewWorld;
import dev.perigee.broker.carry.ViewWorld.Carried;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.store.kv.MemoryViewStores;
import dev.perigee.store.view.TestLog;
import java.io.IOException;

/** A log of waiting messages, and a view that folds it. */
final class WaitingLog {
    final ViewWorld world = new ViewWorld();
    final TestLog log = world.log;
    final MemoryViewStores stores = new MemoryViewStores();
    TimerView view = new TimerView(stores);
    /** Up to where the view has folded the log. */
    long fed;

    long waits(long dueMs) {
        return log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", Long.toString(dueMs)));
    }

    long copied(long dueMs, long birth, long readAt) {
        return log.append(log.next(SystemTopic.SCHEDULE, 0).property("__TIMER#", dueMs + ":" + birth + ":" + readAt));
    }

    void delivered(long dueMs, long birth, long readAt) {
        log.append(log.next("%RETRY%g", 0).property("__TIMER#", dueMs + ":" + birth + ":" + readAt));
    }

    /** Applies what is new in the log, as one pass. */
    void feed() {
        fed = feed(view, fed);
    }

    /** Applies the log from there on to a view, as one pass; gives the end. */
    long feed(TimerView fedView, long from) {
        return world.feed(fedView, from);
    }

    /** The copy that retention would make. */
    MessageFrame copyOf(Carried carried) {
        return world.copyOf(carried);
    }

    /** A checkpoint of the view. */
    byte[] checkpoint() throws IOException {
        return world.checkpoint(view);
    }

    /** Another view, restored from a checkpoint and what the stores have. */
    TimerView restored(byte[] checkpoint) throws IOException {
        return ViewWorld.restored(new TimerView(stores), checkpoint);
    }

    /** Another view, made from the log alone. */
    TimerView rebuilt() {
        TimerView rebuilt = new TimerView(new MemoryViewStores());
        feed(rebuilt, 0);
        return rebuilt;
    }
}
