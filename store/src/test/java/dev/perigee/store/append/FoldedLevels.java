package dev.perigee.store.append;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.LogReader;
import dev.perigee.store.tail.QueueLevels;
import dev.perigee.store.tail.QueueStarts;
import dev.perigee.store.view.LogEntry;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;

/** Where the queues stand by a plain walk over the whole log, for tests without views. */
@OwnedBy("the test")
final class FoldedLevels implements QueueLevels {
    private final Map<String, Map<Integer, Long>> ends = new TreeMap<>();
    private final QueueStarts starts = new QueueStarts();

    static FoldedLevels of(CommitLog log) throws IOException {
        FoldedLevels levels = new FoldedLevels();
        LogReader reader = new LogReader(log, log.startOffset());
        LogEntry entry = new LogEntry();
        while (reader.next()) {
            levels.take(entry.wrap(reader.buffer(), reader.framePosition(), reader.frameOffset()));
        }
        return levels;
    }

    private void take(LogEntry entry) {
        Fact fact = entry.fact();
        if (fact == null) {
            ends.computeIfAbsent(entry.topic(), topic -> new TreeMap<>()).put(entry.queueId(), entry.queueOffset() + 1);
            return;
        }
        starts.fold(fact, entry.offset());
        if (fact instanceof TopicDeleted deleted) {
            ends.remove(deleted.topic());
        } else if (fact instanceof QueueEnds stated) {
            stated.ends()
                    .forEach((queueId, next) -> ends.computeIfAbsent(stated.topic(), topic -> new TreeMap<>())
                            .merge(queueId, next, Math::max));
        }
    }

    @Override
    public void forEachEnd(Visitor visitor) {
        ends.forEach((topic, queues) -> queues.forEach((queueId, next) -> visitor.queueEnd(topic, queueId, next)));
    }

    @Override
    public QueueStarts starts() {
        return starts;
    }
}
