package dev.perigee.store.queue;

import dev.perigee.loop.OwnedBy;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Remembers deletions whose entries are still in the log, to know a stale {@code QueueEnds} by.
 *
 * <p>Retention may decide to restate the end of a queue just before its topic is deleted, and the fact then lies behind
 * the deletion. It must not bring the queue back: a legitimate one behind a deletion always finds its queue, because the
 * frames since the deletion are there, too. A rebuild needs the deletion to see this, so the two leave the log together.
 */
@OwnedBy("view loop")
final class DeletedTopics {
    private record StaleFact(long deletionOffset, long factOffset) {}

    private final Map<String, Long> deletions = new TreeMap<>();
    private final List<StaleFact> staleFacts = new ArrayList<>();

    void deleted(String topic, long entryOffset) {
        deletions.put(topic, entryOffset);
    }

    /** Whether a fact about a queue nobody knows is left over from before its topic's deletion; then it is noted. */
    boolean isStale(String topic, long factOffset) {
        Long deletionOffset = deletions.get(topic);
        if (deletionOffset == null) {
            return false;
        }
        staleFacts.add(new StaleFact(deletionOffset, factOffset));
        return true;
    }

    /** The oldest deletion that must stay because a stale fact behind it stays. */
    long firstLiveOffset() {
        return staleFacts.stream().mapToLong(StaleFact::deletionOffset).min().orElse(Long.MAX_VALUE);
    }

    /** Everything below may go: pairs that go together need no care any more. */
    void release(long belowOffset) {
        staleFacts.removeIf(stale -> stale.factOffset() < belowOffset);
    }

    void trimmed(long startOffset) {
        release(startOffset);
        deletions.values().removeIf(offset -> offset < startOffset);
    }

    void clear() {
        deletions.clear();
        staleFacts.clear();
    }

    DeletedTopics copy() {
        DeletedTopics copy = new DeletedTopics();
        copy.deletions.putAll(deletions);
        copy.staleFacts.addAll(staleFacts);
        return copy;
    }

    void write(DataOutput target) throws IOException {
        target.writeInt(deletions.size());
        for (Map.Entry<String, Long> deletion : deletions.entrySet()) {
            target.writeUTF(deletion.getKey());
            target.writeLong(deletion.getValue());
        }
        target.writeInt(staleFacts.size());
        for (StaleFact stale : staleFacts) {
            target.writeLong(stale.deletionOffset());
            target.writeLong(stale.factOffset());
        }
    }

    void read(DataInput source) throws IOException {
        for (int left = source.readInt(); left > 0; left--) {
            deletions.put(source.readUTF(), source.readLong());
        }
        for (int left = source.readInt(); left > 0; left--) {
            staleFacts.add(new StaleFact(source.readLong(), source.readLong()));
        }
    }
}
