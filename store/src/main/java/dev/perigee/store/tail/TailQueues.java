package dev.perigee.store.tail;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.store.log.LogHorizon;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where all queues stand as the bytes up to the end of the log make it: the next offset of each, and where those begin that the
 * log says nothing of (R15). What is cut off the end is taken back: facts by what they had changed, which is kept until they are
 * confirmed; messages by the offsets in their frames.
 */
@OwnedBy("log loop")
public final class TailQueues {
    /**
     * A fact that may still be cut.
     *
     * @param forgotten the queues a deletion took away; null for none
     * @param raised what the raised queues had before
     */
    private record OpenFact(
            Fact fact, long offset, QueueOffsets.@Nullable Forgotten forgotten, Map<Integer, Long> raised) {}

    private final LogHorizon horizon;
    private final QueueStarts starts = new QueueStarts();
    private final QueueOffsets offsets = new QueueOffsets(starts::of);
    /** What the starts are without the open facts. */
    private final QueueStarts settled = new QueueStarts();
    /** No more than there are unconfirmed facts in the log. */
    private final ArrayDeque<OpenFact> open = new ArrayDeque<>();

    /** @param horizon says what is confirmed and will not be cut */
    public TailQueues(LogHorizon horizon) {
        this.horizon = horizon;
    }

    /** The next offsets. Whoever takes some puts the frame into the log. */
    public QueueOffsets offsets() {
        return offsets;
    }

    /** Takes over the starts of one who folded the log up to its confirmed end, before any frame is folded in. */
    public void seed(QueueStarts seed) {
        starts.copyOf(seed);
        settled.copyOf(seed);
    }

    /** Where the queues stand that the log speaks of, as it is now. */
    public QueueLevels levels() {
        return new QueueLevels() {
            @Override
            public void forEachEnd(Visitor visitor) {
                offsets.forEachOwn(visitor);
            }

            @Override
            public QueueStarts starts() {
                return starts;
            }
        };
    }

    /** Whether the deletion of a topic is the last thing the log says of it. */
    public boolean isClosed(String topic) {
        return starts.isClosed(topic);
    }

    /** Folds in a frame that got its queue offset elsewhere. */
    public void frame(MessageFrame frame, long offset, @Nullable Fact fact) {
        if (fact == null) {
            offsets.set(frame.topic(), frame.queueId(), frame.queueOffset() + 1);
        } else {
            fact(fact, offset);
        }
    }

    /** Folds in the fact at an offset. */
    public void fact(Fact fact, long offset) {
        settle();
        boolean changed = starts.fold(fact, offset);
        if (fact instanceof TopicDeleted deleted) {
            open.add(new OpenFact(fact, offset, offsets.forget(deleted.topic()), Map.of()));
        } else if (fact instanceof QueueEnds ends) {
            Map<Integer, Long> raised = new HashMap<>();
            ends.ends().forEach((queueId, next) -> {
                raised.put(queueId, offsets.own(ends.topic(), queueId));
                offsets.raise(ends.topic(), queueId, next);
            });
            open.add(new OpenFact(fact, offset, null, raised));
        } else if (changed) {
            open.add(new OpenFact(fact, offset, null, Map.of()));
        }
    }

    /** What is confirmed stays. */
    private void settle() {
        OpenFact oldest = open.peekFirst();
        while (oldest != null && oldest.offset() < horizon.confirm()) {
            settled.fold(oldest.fact(), oldest.offset());
            open.removeFirst();
            oldest = open.peekFirst();
        }
    }

    /** Begins to take back what is cut off at an offset, which is not below the confirm offset. */
    public Rollback rollback(long endOffset) {
        return new Rollback(endOffset);
    }

    /**
     * Takes frames back: is shown each frame that is cut, in the order of the log, and then finishes. Of each queue only the first
     * thing that was done to it behind the cut counts, for that tells what was before; and a deletion had put away what was.
     */
    public final class Rollback {
        private record Queue(String topic, int queueId) {}

        private final long endOffset;
        private final Map<Queue, Long> before = new HashMap<>();
        private final Map<String, QueueOffsets.Forgotten> deletions = new HashMap<>();
        private final Map<Long, OpenFact> cut = new HashMap<>();
        /** Where queues began when the frame that is shown was written. */
        private final QueueStarts then = new QueueStarts();

        private Rollback(long endOffset) {
            this.endOffset = endOffset;
            settle();
            then.copyOf(settled);
            for (OpenFact fact : open) {
                if (fact.offset() >= endOffset) {
                    cut.put(fact.offset(), fact);
                } else {
                    then.fold(fact.fact(), fact.offset());
                }
            }
        }

        /** Notes a frame that goes. */
        public void frame(MessageFrame frame, long offset, @Nullable Fact fact) {
            if (fact == null) {
                String topic = frame.topic();
                boolean first = frame.queueOffset() == then.of(topic);
                note(topic, frame.queueId(), first ? QueueOffsets.UNSET : frame.queueOffset());
                return;
            }
            then.fold(fact, offset);
            OpenFact known = cut.get(offset);
            if (known != null && fact instanceof QueueEnds ends) {
                known.raised().forEach((queueId, next) -> note(ends.topic(), queueId, next));
            } else if (known != null && known.forgotten() != null && fact instanceof TopicDeleted deleted) {
                deletions.putIfAbsent(deleted.topic(), known.forgotten());
            }
        }

        private void note(String topic, int queueId, long next) {
            if (!deletions.containsKey(topic)) {
                before.putIfAbsent(new Queue(topic, queueId), next);
            }
        }

        /** Takes all back that was noted. */
        public void finish() {
            open.removeIf(fact -> fact.offset() >= endOffset);
            starts.copyOf(settled);
            open.forEach(fact -> starts.fold(fact.fact(), fact.offset()));
            deletions.forEach(offsets::restore);
            before.forEach((queue, next) -> offsets.set(queue.topic(), queue.queueId(), next));
        }
    }
}
