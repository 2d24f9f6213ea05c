package dev.perigee.broker.pull;

import dev.perigee.broker.filter.MessageFilter;
import dev.perigee.loop.Immutable;
import dev.perigee.remoting.Connection;
import dev.perigee.store.queue.ConsumeQueue;
import java.util.function.Consumer;

/** One parked pull. */
@Immutable
final class Waiter {
    /** Why a waiter is woken. */
    enum Reason {
        /** A message came that may match: read again, and wait on if it was for others. */
        ARRIVAL,
        /** Time is up: answer with what there is. */
        DEADLINE,
        /** The topic or the group changed: check everything again, and wait on if nothing forbids it. */
        CHANGED,
        /** The connection is closed: let the request go. */
        GONE
    }

    private final String group;
    private final String topic;
    private final int queueId;
    private final long offset;
    private final MessageFilter filter;
    private final long deadlineMs;
    private final Connection connection;
    private final long textBytes;
    private final Consumer<Reason> resume;

    /**
     * @param textBytes what the texts of the pull take
     * @param resume called by whoever wakes the waiter; hands the pull back to its own event loop
     */
    Waiter(
            QueuePlace place,
            MessageFilter filter,
            long deadlineMs,
            Connection connection,
            long textBytes,
            Consumer<Reason> resume) {
        this.group = place.group();
        this.topic = place.topic();
        this.queueId = place.queueId();
        this.offset = place.offset();
        this.filter = filter;
        this.deadlineMs = deadlineMs;
        this.connection = connection;
        this.textBytes = textBytes;
        this.resume = resume;
    }

    String group() {
        return group;
    }

    String topic() {
        return topic;
    }

    int queueId() {
        return queueId;
    }

    long offset() {
        return offset;
    }

    long deadlineMs() {
        return deadlineMs;
    }

    Connection connection() {
        return connection;
    }

    /** The bytes it holds beyond its fixed size. */
    long heldBytes() {
        return textBytes + filter.sizeBytes();
    }

    /** Whether one of the new entries may match. */
    boolean mayWant(ConsumeQueue queue, long fromOffset, long toOffset) {
        if (fromOffset >= toOffset) {
            return false;
        }
        if (filter.takesAll() || filter.needsProperties()) { // those are looked at where the pull is answered
            return true;
        }
        boolean[] found = new boolean[1];
        int entries = (int) Math.min(Integer.MAX_VALUE, toOffset - fromOffset);
        queue.read(fromOffset, entries, (queueOffset, physicalOffset, sizeBytes, tagHash) -> {
            found[0] = filter.mayTake(tagHash);
            return !found[0];
        });
        return found[0];
    }

    /** Goes on, for this reason or because the connection is gone. */
    void wake(Reason reason) {
        resume.accept(connection.isOpen() ? reason : Reason.GONE);
    }
}
