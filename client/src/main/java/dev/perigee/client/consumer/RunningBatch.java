package dev.perigee.client.consumer;

import dev.perigee.client.listener.ListenerRun;
import dev.perigee.client.listener.Outcome;
import dev.perigee.client.queue.ProcessQueue;
import dev.perigee.client.queue.QueuePuller;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One call of a concurrent listener: its messages, and how it ended. The one object made for every call, besides what the
 * listener is given.
 */
@ThreadSafe
final class RunningBatch implements Consumer<Outcome> {
    private final MessageRun run;
    private final int first;
    private final int end;
    private final long begunMs;
    /** Written by the listener's thread, read by the client loop, which is given the batch in between. */
    private @Nullable Outcome outcome;

    /** The rest is the client loop's. */
    private @Nullable Set<ProcessQueue.Slot> returning;

    private boolean isVoid;
    private boolean isEnded;

    /**
     * The call begins.
     *
     * @param first index in the run
     * @param end index of the last one, plus one
     */
    RunningBatch(MessageRun run, int first, int end, long begunMs) {
        this.run = run;
        this.first = first;
        this.end = end;
        this.begunMs = begunMs;
    }

    QueuePuller from() {
        return run.from();
    }

    int size() {
        return end - first;
    }

    /** A message, by its place in this call. */
    ProcessQueue.Slot slot(int index) {
        return run.slot(first + index);
    }

    /** What the listener is given. */
    List<MessageExt> messages() {
        if (size() == 1) {
            return List.of(ListenerRun.withOriginalTopic(slot(0).message()));
        }
        List<MessageExt> messages = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            messages.add(ListenerRun.withOriginalTopic(slot(i).message()));
        }
        return List.copyOf(messages);
    }

    /** The call has ended. */
    @Override
    public void accept(Outcome result) {
        this.outcome = result;
    }

    /** How the call ended; after it was handed over. */
    Outcome outcome() {
        Outcome ended = outcome;
        if (ended == null) {
            throw new IllegalStateException("a call for queue " + from().queue() + " has not ended");
        }
        return ended;
    }

    /** How long the call has taken so far. */
    long runningMs(long nowMs) {
        return nowMs - begunMs;
    }

    /** The client loop knows how the call ended. */
    void end() {
        this.isEnded = true;
    }

    boolean isEnded() {
        return isEnded;
    }

    /** The call took too long: what it says in the end does not count. */
    void makeVoid() {
        this.isVoid = true;
    }

    boolean isVoid() {
        return isVoid;
    }

    /** Messages that are neither finished nor on their way back. */
    List<ProcessQueue.Slot> remaining() {
        Set<ProcessQueue.Slot> away = returning;
        List<ProcessQueue.Slot> remaining = new ArrayList<>(size());
        for (int i = 0; i < size(); i++) {
            ProcessQueue.Slot slot = slot(i);
            if (isOpen(slot) && (away == null || !away.contains(slot))) {
                remaining.add(slot);
            }
        }
        return remaining;
    }

    /** Whether there is nothing left to give back. */
    boolean isSettled() {
        for (int i = 0; i < size(); i++) {
            if (isOpen(slot(i))) {
                return false;
            }
        }
        return true;
    }

    private boolean isOpen(ProcessQueue.Slot slot) {
        return !slot.isFinished() && from().holds(slot);
    }

    /** A message is on its way back to the broker. */
    void returning(ProcessQueue.Slot slot) {
        Set<ProcessQueue.Slot> away = returning;
        if (away == null) {
            away = new HashSet<>();
            returning = away;
        }
        away.add(slot);
    }

    /** The broker did not take it. */
    void returned(ProcessQueue.Slot slot) {
        Set<ProcessQueue.Slot> away = returning;
        if (away != null) {
            away.remove(slot);
        }
    }
}
