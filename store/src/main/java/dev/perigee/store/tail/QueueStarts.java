package dev.perigee.store.tail;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.fact.QueueFloor;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.fact.TopicDeleted;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where queues begin that no frame speaks of: nowhere while their topic is deleted, at 0 once it is there again, and
 * behind what a lost tail may have held otherwise. A fold over the facts between the log's start and its end, the same for
 * the log loop that appends them and for the view that hands it over at the next start.
 */
@OwnedBy("its holder")
public final class QueueStarts {
    /**
     * Deletions remembered at most; beyond it the oldest is forgotten. It only serves sends that passed their checks
     * before the deletion, and none of those can be so far behind.
     */
    public static final int MAX_DELETIONS = 100_000;

    private record Deletion(long factOffset, boolean open) {}

    private final LinkedHashMap<String, Deletion> deletions = new LinkedHashMap<>();
    private final int maxDeletions;
    private long floor;
    private long floorFactOffset = -1;

    /** Nothing was ever deleted. */
    public QueueStarts() {
        this(MAX_DELETIONS);
    }

    QueueStarts(int maxDeletions) {
        this.maxDeletions = maxDeletions;
    }

    /** Takes over what another one holds. */
    public void copyOf(QueueStarts other) {
        deletions.clear();
        deletions.putAll(other.deletions);
        floor = other.floor;
        floorFactOffset = other.floorFactOffset;
    }

    /**
     * Folds in the fact at an offset.
     *
     * @return whether it may have changed anything; not when it is about something else
     */
    public boolean fold(Fact fact, long factOffset) {
        if (fact instanceof LogTrimmed trimmed) {
            trimmed(trimmed.startOffset());
            return true;
        }
        if (fact instanceof QueueFloor queueFloor) {
            floor = queueFloor.offset();
            floorFactOffset = factOffset;
            return true;
        }
        return foldTopic(fact, factOffset);
    }

    private boolean foldTopic(Fact fact, long factOffset) {
        if (fact instanceof TopicDeleted deleted) {
            deletions.remove(deleted.topic()); // to the end of the line
            deletions.put(deleted.topic(), new Deletion(factOffset, false));
            dropOldest();
            return true;
        }
        if (fact instanceof TopicChanged changed) {
            return created(changed.topic().topicName());
        }
        return fact instanceof GroupChanged group
                && group.retryTopic() != null
                && created(group.retryTopic().topicName());
    }

    /** A floor goes with its fact: who saw offsets of the lost tail has had the whole retention time to come back. */
    private void trimmed(long startOffset) {
        deletions.values().removeIf(deletion -> deletion.factOffset() < startOffset);
        if (floorFactOffset < startOffset) {
            floor = 0;
        }
    }

    private boolean created(String topic) {
        return deletions.computeIfPresent(topic, (name, deletion) -> new Deletion(deletion.factOffset(), true)) != null;
    }

    private void dropOldest() {
        if (deletions.size() > maxDeletions) {
            deletions.remove(deletions.keySet().iterator().next());
        }
    }

    /** Whether the topic is deleted and not yet there again: nothing may be appended to it. */
    public boolean isClosed(String topic) {
        Deletion deletion = deletions.isEmpty() ? null : deletions.get(topic);
        return deletion != null && !deletion.open();
    }

    /** The first offset of a queue of the topic that no frame and no fact speaks of. */
    public long of(String topic) {
        Deletion deletion = floor == 0 ? null : deletions.get(topic);
        return deletion != null && deletion.factOffset() > floorFactOffset ? 0 : floor;
    }

    /** Where such queues begin in topics that were not deleted lately; 0 unless a tail may have been lost. */
    public long floor() {
        return floor;
    }

    /** As if nothing had been folded. */
    public void clear() {
        deletions.clear();
        floor = 0;
        floorFactOffset = -1;
    }

    /** Writes what {@link #read} takes. */
    public void write(DataOutput target) throws IOException {
        target.writeLong(floor);
        target.writeLong(floorFactOffset);
        target.writeInt(deletions.size());
        for (Map.Entry<String, Deletion> entry : deletions.entrySet()) {
            target.writeUTF(entry.getKey());
            target.writeLong(entry.getValue().factOffset());
            target.writeBoolean(entry.getValue().open());
        }
    }

    /** Reads what {@link #write} wrote. */
    public void read(DataInput source) throws IOException {
        clear();
        floor = source.readLong();
        floorFactOffset = source.readLong();
        for (int left = source.readInt(); left > 0; left--) {
            deletions.put(source.readUTF(), new Deletion(source.readLong(), source.readBoolean()));
        }
    }
}
