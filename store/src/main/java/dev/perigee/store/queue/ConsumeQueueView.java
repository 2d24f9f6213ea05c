package dev.perigee.store.queue;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.QueueEnds;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.block.BlockWriter;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.log.PacedTask;
import dev.perigee.store.log.Preparer.StandingTask;
import dev.perigee.store.tail.QueueLevels;
import dev.perigee.store.tail.QueueStarts;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Folds user messages into one {@link ConsumeQueue} per topic and queue. Lookups are for any thread, the rest for the
 * view loop.
 */
@ThreadSafe
public final class ConsumeQueueView implements LogView, QueueLevels {
    /** Its name as a view. */
    public static final String NAME = "consumequeue";

    /** Queue ids from here on are not indexed; the broker grants far fewer. */
    public static final int MAX_QUEUE_ID = 1 << 16;

    /** Queues looked into per step of {@link #lookAhead}: each takes some twenty pages of a file. */
    private static final int LOOK_AHEAD_QUEUES = 16;

    private static final Logger LOG = LoggerFactory.getLogger(ConsumeQueueView.class);

    private final Disk disk;
    private final QueueConfig config;
    private final FrameTimes times;
    private final QueueFiles files;
    private final BlockWriter<EntryBlock> writer;
    private final QueueTails tails;
    private final Map<String, TopicQueues> topics = new ConcurrentHashMap<>();
    private final Set<String> garbage = ConcurrentHashMap.newKeySet();
    private final QueueStarts starts = new QueueStarts();
    private final List<ConsumeQueue> touched = new ArrayList<>();
    private volatile ArrivalListener arrivals = (queue, from, to) -> {};
    private @Nullable ConsumeQueue lastQueue;
    private long skipped;

    public ConsumeQueueView(Disk disk, QueueConfig config, FrameTimes times) {
        this.disk = disk;
        this.config = config;
        this.times = times;
        this.files = new QueueFiles(disk, config);
        this.writer = new BlockWriter<>(NAME, files);
        this.tails = new QueueTails(config, files, writer);
    }

    /** Names who is told about grown queues; replaces whoever was named before. Any thread. */
    public void onArrival(ArrivalListener listener) {
        arrivals = listener;
    }

    /**
     * Has files written elsewhere from now on, when the log is replayed and before the loops start; before, whoever applies
     * entries writes them.
     *
     * @param wake makes whoever runs the task do so soon; called on the view loop
     * @return the writing, for the preparer
     */
    public StandingTask writeElsewhere(Runnable wake) {
        writer.helpedBy(wake);
        return writer;
    }

    /** Has files written by whoever applies entries again; when the loops have ended. */
    public void writeHere() {
        writer.unhelped();
    }

    /**
     * Whether no more messages should be taken now: the files of the queues cannot be written, and much of what they are to hold
     * is in memory. It ends by itself when they can be. Any thread.
     */
    public boolean isHeldUp() {
        return writer.isFailing() && tails.isUnderPressure();
    }

    /** The queue, or null when it never held a message. Any thread. */
    public @Nullable ConsumeQueue find(String topic, int queueId) {
        TopicQueues queues = topics.get(topic);
        return queues == null ? null : queues.find(queueId);
    }

    /** The topics that have queues, sorted. Any thread. */
    public Set<String> topics() {
        return new TreeSet<>(topics.keySet());
    }

    /** The queues of a topic by ascending id; empty when it never held a message. Any thread. */
    public List<ConsumeQueue> queues(String topic) {
        TopicQueues queues = topics.get(topic);
        return queues == null ? List.of() : queues.list();
    }

    /** Bytes the tails of all queues hold in memory. Any thread. */
    public long memoryBytes() {
        return tails.usedBytes();
    }

    @Override
    public QueueStarts starts() {
        return starts;
    }

    @Override
    public void forEachEnd(Visitor visitor) {
        for (TopicQueues queues : topics.values()) {
            for (ConsumeQueue queue : queues.list()) {
                visitor.queueEnd(queue.topic(), queue.queueId(), queue.maxOffset());
            }
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    /** False while the files of the queues are not written and as much is in memory as may be. */
    @Override
    public boolean hasRoom() {
        return tails.hasRoom();
    }

    @Override
    public void apply(LogEntry entry) {
        if (entry.isFact()) {
            applyFact(entry);
            return;
        }
        ConsumeQueue queue = lastQueue;
        if (queue == null
                || queue.queueId() != entry.queueId()
                || !queue.topic().equals(entry.topic())) {
            queue = queueOf(entry.topic(), entry.queueId(), entry.offset());
            if (queue == null) {
                return;
            }
            lastQueue = queue;
        }
        if (queue.touch(entry.queueOffset())) {
            touched.add(queue);
        }
        queue.append(entry.queueOffset(), entry.offset(), entry.sizeBytes(), entry.tagHash());
    }

    private void applyFact(LogEntry entry) {
        Fact fact = Objects.requireNonNull(entry.fact());
        starts.fold(fact, entry.offset());
        if (fact instanceof TopicDeleted deleted) {
            topicDeleted(deleted.topic());
        } else if (fact instanceof QueueEnds ends) {
            ends.ends().forEach((queueId, next) -> queueEnds(ends.topic(), queueId, next, entry.offset()));
        }
    }

    private @Nullable ConsumeQueue queueOf(String topic, int queueId, long entryOffset) {
        ConsumeQueue known = find(topic, queueId);
        if (known != null) {
            return known;
        }
        if (queueId < 0 || queueId >= MAX_QUEUE_ID) {
            skipped++;
            LOG.warn(
                    "event=entry_not_queued topic={} queueId={} limit={} skipped={}",
                    topic,
                    queueId,
                    MAX_QUEUE_ID,
                    skipped);
            return null;
        }
        String plain = QueueFiles.queueFolder(topic, queueId);
        String folder = garbage.contains(plain) ? plain + "-" + Long.toHexString(entryOffset) : plain;
        return add(new ConsumeQueue(topic, queueId, folder, tails, times));
    }

    private ConsumeQueue add(ConsumeQueue queue) {
        topics.computeIfAbsent(queue.topic(), name -> new TopicQueues()).add(queue);
        return queue;
    }

    private void queueEnds(String topic, int queueId, long nextOffset, long factOffset) {
        ConsumeQueue queue = find(topic, queueId);
        if (queue == null && !starts.isClosed(topic)) {
            queue = queueOf(topic, queueId, factOffset);
        }
        if (queue != null) {
            queue.endsAt(nextOffset, factOffset);
        }
    }

    private void topicDeleted(String topic) {
        TopicQueues queues = topics.remove(topic);
        if (queues == null) {
            return;
        }
        lastQueue = null;
        for (ConsumeQueue queue : queues.list()) {
            touched.remove(queue);
            tails.release(queue);
            files.unmapFolder(queue.folder());
            garbage.add(queue.folder());
        }
    }

    @Override
    public void passEnded() {
        // Ends are published before the listener looks for waiters; a waiter counts itself before it looks at the end.
        VarHandle.fullFence();
        for (ConsumeQueue queue : touched) {
            arrivals.arrived(queue, queue.takeTouched(), queue.maxOffset());
        }
        touched.clear();
        writer.wakeForTaken();
    }

    @Override
    public long firstLiveOffset() {
        long first = Long.MAX_VALUE;
        for (TopicQueues queues : topics.values()) {
            for (ConsumeQueue queue : queues.list()) {
                first = Math.min(first, queue.mark().liveOffset());
            }
        }
        return first;
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        topics.forEach((topic, queues) -> {
            Map<Integer, Long> ends = new TreeMap<>();
            for (ConsumeQueue queue : queues.list()) {
                if (queue.mark().liveOffset() < belowOffset) {
                    ends.put(queue.queueId(), queue.maxOffset());
                }
            }
            if (!ends.isEmpty()) {
                sink.fact(new QueueEnds(topic, ends));
            }
        });
    }

    @Override
    public void trimmed(long startOffset) {
        for (TopicQueues queues : topics.values()) {
            for (ConsumeQueue queue : queues.list()) {
                dropFiles(queue, queue.gaps(), queue.trimTo(startOffset));
            }
        }
    }

    @Override
    public PacedTask lookAhead(long startOffset) {
        Iterator<ConsumeQueue> left = topics.values().stream()
                .flatMap(queues -> queues.list().stream())
                .toList()
                .iterator();
        return () -> {
            for (int i = 0; i < LOOK_AHEAD_QUEUES && left.hasNext(); i++) {
                left.next().lookAhead(startOffset);
            }
            return left.hasNext();
        };
    }

    private void dropFiles(ConsumeQueue queue, QueueGaps gaps, long from) {
        int perFile = config.entriesPerFile();
        long to = queue.minOffset() / perFile;
        for (long index = from / perFile; index < to && index * perFile < queue.fileEnd(); index++) {
            long skipped = gaps.endOf(Math.max(from, index * perFile)) / perFile;
            if (skipped > index) {
                index = skipped - 1; // nothing was ever written to the files in between
                continue;
            }
            files.unmapFile(queue.folder(), index);
            garbage.add(QueueFiles.fileName(queue.folder(), index * config.fileBytes()));
        }
    }

    @Override
    public ViewImage freeze() {
        List<QueueImage.Frozen> frozen = new ArrayList<>();
        for (TopicQueues queues : topics.values()) {
            for (ConsumeQueue queue : queues.list()) {
                frozen.add(new QueueImage.Frozen(queue, queue.mark(), queue.blocks()));
            }
        }
        QueueStarts frozenStarts = new QueueStarts();
        frozenStarts.copyOf(starts);
        return new QueueImage(config.entriesPerFile(), frozen, frozenStarts, files, garbage);
    }

    @Override
    public void restore(DataInput state) throws IOException {
        new QueueRestore(disk, config, state)
                .readInto(
                        queue -> new ConsumeQueue(queue.topic(), queue.queueId(), queue.folder(), tails, times),
                        this::add,
                        garbage);
        starts.read(state);
    }

    @Override
    public void forget() throws IOException {
        topics.clear();
        starts.clear();
        touched.clear();
        garbage.clear();
        lastQueue = null;
        writer.clear();
        tails.clear();
        files.close();
        QueueImage.deleteTree(disk, QueueFiles.ROOT);
    }

    @Override
    public String fingerprint() {
        StringBuilder text = new StringBuilder();
        for (String topic : topics()) {
            for (ConsumeQueue queue : queues(topic)) {
                QueueDump.describe(queue, text);
            }
        }
        return text.toString();
    }
}
