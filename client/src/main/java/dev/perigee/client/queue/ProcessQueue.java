package dev.perigee.client.queue;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The messages of one queue that were pulled and are not finished. Messages may finish in any order; the commit offset
 * never passes the oldest unfinished one, so a crash repeats messages but loses none.
 */
@OwnedBy("client loop")
public final class ProcessQueue {
    /** One pulled message and whether it is finished. */
    public static final class Slot {
        private final ProcessQueue home;
        private final long offset;
        private final int sizeBytes;
        private @Nullable MessageExt message;

        Slot(ProcessQueue home, MessageExt message) {
            this.home = home;
            this.offset = message.queueOffset();
            this.sizeBytes = message.storeSizeBytes();
            this.message = message;
        }

        /** The message. Not to be called after the slot was finished. */
        public MessageExt message() {
            MessageExt present = message;
            if (present == null) {
                throw new IllegalStateException("slot at queueOffset=" + offset + " is already finished");
            }
            return present;
        }

        public boolean isFinished() {
            return message == null;
        }

        /** Counts one more failed attempt in the message. */
        public void countRetry() {
            MessageExt present = message();
            this.message = present.withReconsumeTimes(present.reconsumeTimes() + 1);
        }
    }

    private final ArrayDeque<Slot> slots = new ArrayDeque<>();
    private long nextOffset;
    private int unfinished;
    private long unfinishedBytes;

    /** @param startOffset where pulling begins */
    public ProcessQueue(long startOffset) {
        this.nextOffset = startOffset;
    }

    /**
     * Takes pulled messages.
     *
     * @param messages in ascending queue offset, all at or above {@link #nextOffset()}
     * @param nextBeginOffset where the next pull begins; everything below was looked at
     */
    public List<Slot> add(List<MessageExt> messages, long nextBeginOffset) {
        List<Slot> added = new ArrayList<>(messages.size());
        for (MessageExt message : messages) {
            if (message.queueOffset() < nextOffset) {
                continue; // asked for by nobody: a broker that answers from below would have it consumed twice
            }
            Slot slot = new Slot(this, message);
            nextOffset = slot.offset + 1;
            unfinished++;
            unfinishedBytes += slot.sizeBytes;
            slots.add(slot);
            added.add(slot);
        }
        nextOffset = Math.max(nextOffset, nextBeginOffset);
        return added;
    }

    /** Marks a message as finished. Finishing twice, or a message of another queue's cache, changes nothing. */
    public void finish(Slot slot) {
        if (slot.home != this || slot.message == null) {
            return;
        }
        slot.message = null;
        unfinished--;
        unfinishedBytes -= slot.sizeBytes;
        while (!slots.isEmpty() && slots.getFirst().message == null) {
            slots.removeFirst();
        }
    }

    /** Whether this message was added to this cache; it may be finished. */
    boolean holds(Slot slot) {
        return slot.home == this;
    }

    /** The offset up to which everything is finished, exclusive. */
    public long commitOffset() {
        return slots.isEmpty() ? nextOffset : slots.getFirst().offset;
    }

    /** Where the next pull begins. */
    public long nextOffset() {
        return nextOffset;
    }

    /** Messages not finished. */
    public int count() {
        return unfinished;
    }

    /** Bytes of the messages not finished, as stored. */
    public long bytes() {
        return unfinishedBytes;
    }

    /** Offsets between the oldest unfinished message and the newest one. */
    public long span() {
        return slots.isEmpty() ? 0 : slots.getLast().offset - slots.getFirst().offset;
    }

    /** The oldest unfinished messages, at most so many, in order. */
    public List<Slot> oldest(int max) {
        List<Slot> oldest = new ArrayList<>(Math.min(max, unfinished));
        for (Slot slot : slots) {
            if (oldest.size() == max) {
                break;
            }
            if (slot.message != null) {
                oldest.add(slot);
            }
        }
        return oldest;
    }
}
