package dev.perigee.store.tail;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.LogTrimmed;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.fact.TopicDeleted;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where queues begin that no frame speaks of: nowhere while their topic is deleted, at 0 once it is there again. A fold
 * over the facts between the log's start and its end, the same for the log loop that appends them and for the view that
 * hands it over at the next start.
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
    }

    /** Folds in the fact at an offset; of no consequence when it is about something else. */
    public void fold(Fact fact, long factOffset) {
        if (fact instanceof TopicDeleted deleted) {
            deletions.remove(deleted.topic()); // to the end of the line
            deletions.put(deleted.topic(), new Deletion(factOffset, false));
            dropOldest();
        } else if (fact instanceof TopicChanged changed) {
            created(changed.topic().topicName());
        } else if (fact instanceof GroupChanged group && group.retryTopic() != null) {
            created(group.retryTopic().topicName());
        } else if (fact instanceof LogTrimmed trimmed) {
            deletions.values().removeIf(deletion -> deletion.factOffset() < trimmed.startOffset());
        }
    }

    private void created(String topic) {
        deletions.computeIfPresent(topic, (name, deletion) -> new Deletion(deletion.factOffset(), true));
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

    /** As if nothing had been folded. */
    public void clear() {
        deletions.clear();
    }

    /** Writes what {@link #read} takes. */
    public void write(DataOutput target) throws IOException {
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
        for (int left = source.readInt(); left > 0; left--) {
            deletions.put(source.readUTF(), new Deletion(source.readLong(), source.readBoolean()));
        }
    }
}
