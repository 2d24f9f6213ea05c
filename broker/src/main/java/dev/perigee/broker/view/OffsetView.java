package dev.perigee.broker.view;

import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.GroupDeleted;
import dev.perigee.protocol.fact.OffsetsCommitted;
import dev.perigee.protocol.fact.QueueCommit;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How far each group has come in each queue, folded over OffsetsCommitted and the pins of GroupChanged. Offsets fold by
 * maximum, so a copy that is carried forward or logged late changes nothing; only an explicit reset lowers one. The view
 * loop folds; others read single values, each an immutable object in a concurrent map.
 */
@OwnedBy("view loop")
public final class OffsetView implements LogView {
    /** The queue number that stands for "the start of this topic is pinned". */
    public static final int PIN = -1;

    /** Entries of one frame of a carried table. */
    private static final int ENTRIES_PER_FRAME = 2_000;

    /** Hears what makes offsets smaller or takes them away; on the view loop, and must not block. */
    public interface Listener {
        /** A tool has set the offset of a queue. */
        void reset(String group, String topic, int queueId);

        /** A group is gone with its offsets. */
        void groupGone(String group);

        /** A topic is gone. */
        void topicGone(String topic);
    }

    /** Of what is replayed at a start so many resets are remembered, the newest. */
    private static final int MAX_RESETS = 10_000;

    /** A tool set the offset of a queue, by the fact at that offset. */
    public record Reset(String group, String topic, int queueId, long factOffset) {}

    private final Claims claims;
    private final ArrayDeque<Reset> replayed =
            new ArrayDeque<>(); // guarded by itself: a thread that starts a broker reads while the view loop folds
    private final ConcurrentHashMap<GroupTopic, TopicOffsets> offsets = new ConcurrentHashMap<>();

    private @Nullable Listener listener;
    private long liveFrom = Long.MAX_VALUE; // the first fact that still matters
    private long tableFrom = Long.MAX_VALUE; // where the table being carried begins
    private int nextPart = 1; // of that table

    /** An empty view; nothing is carried forward while a key is claimed whose fact changes offsets, for the table could undo it. */
    public OffsetView(Claims claims) {
        this.claims = claims;
    }

    /** Names who hears of offsets that become smaller or go; before the loops run. */
    public void onLoss(Listener told) {
        listener = told;
        synchronized (replayed) {
            replayed.clear();
        }
    }

    /** The last {@link #MAX_RESETS} resets that were applied since the start, replayed ones too, until {@link #onLoss} names who hears of them. Any thread. */
    public List<Reset> replayedResets() {
        synchronized (replayed) {
            return List.copyOf(replayed);
        }
    }

    /**
     * The offset of a group in a queue, 0 for a queue that came after its topic was pinned, −1 when there is none. May be
     * called from any thread, as all readers below.
     */
    public long find(String group, String topic, int queueId) {
        TopicOffsets known = offsets.get(new GroupTopic(group, topic));
        if (known == null) {
            return TopicOffsets.NONE;
        }
        long offset = known.find(queueId);
        return offset == TopicOffsets.NONE && known.pinned() && queueId >= 0 ? 0 : offset;
    }

    /** The logged offset of a group in a queue, −1 when there is none. */
    public long stored(String group, String topic, int queueId) {
        TopicOffsets known = offsets.get(new GroupTopic(group, topic));
        return known == null ? TopicOffsets.NONE : known.find(queueId);
    }

    /** Whether the start of the group in the topic is pinned. */
    public boolean isPinned(String group, String topic) {
        TopicOffsets known = offsets.get(new GroupTopic(group, topic));
        return known != null && known.pinned();
    }

    /** queue → offset of a group in a topic, only queues that have one. */
    public Map<Integer, Long> offsets(String group, String topic) {
        return offsets.getOrDefault(new GroupTopic(group, topic), TopicOffsets.EMPTY)
                .asMap();
    }

    /** The topics in which a group has an offset, sorted. */
    public Set<String> topicsOf(String group) {
        Set<String> topics = new TreeSet<>();
        offsets.forEach((key, known) -> {
            if (key.group().equals(group) && !known.asMap().isEmpty()) {
                topics.add(key.topic());
            }
        });
        return topics;
    }

    /** The groups that have an offset in a topic, sorted. */
    public Set<String> groupsOf(String topic) {
        Set<String> groups = new TreeSet<>();
        offsets.forEach((key, known) -> {
            if (key.topic().equals(topic) && !known.asMap().isEmpty()) {
                groups.add(key.group());
            }
        });
        return groups;
    }

    /** Every pair of group and topic with its offsets. */
    public Map<GroupTopic, Map<Integer, Long>> all() {
        Map<GroupTopic, Map<Integer, Long>> all = new HashMap<>();
        offsets.forEach((key, known) -> all.put(key, known.asMap()));
        return all;
    }

    @Override
    public String name() {
        return "offsets";
    }

    @Override
    public void apply(LogEntry entry) {
        Fact fact = entry.fact();
        if (fact instanceof OffsetsCommitted commits) {
            commit(commits, entry.offset());
        } else if (fact instanceof GroupChanged group && !group.pins().isEmpty()) {
            liveFrom = Math.min(liveFrom, entry.offset());
            group.pins().forEach(this::pin);
        } else if (fact instanceof GroupDeleted group && group.cleanOffset()) {
            offsets.keySet().removeIf(key -> key.group().equals(group.group()));
            tell(hears -> hears.groupGone(group.group()));
        } else if (fact instanceof TopicDeleted topic) {
            offsets.keySet().removeIf(key -> key.topic().equals(topic.topic()));
            tell(hears -> hears.topicGone(topic.topic()));
        }
    }

    private void tell(Consumer<Listener> event) {
        Listener hears = listener;
        if (hears != null) {
            event.accept(hears);
        }
    }

    @Override
    public ViewImage freeze() {
        Map<GroupTopic, TopicOffsets> frozen = new HashMap<>(offsets);
        long frozenLive = liveFrom;
        long frozenTable = tableFrom;
        int frozenPart = nextPart;
        return target -> {
            target.writeLong(frozenLive);
            target.writeLong(frozenTable);
            target.writeInt(frozenPart);
            target.writeInt(frozen.size());
            for (Map.Entry<GroupTopic, TopicOffsets> entry : frozen.entrySet()) {
                write(target, entry.getKey(), entry.getValue());
            }
        };
    }

    @Override
    public void restore(DataInput state) throws IOException {
        liveFrom = state.readLong();
        tableFrom = state.readLong();
        nextPart = state.readInt();
        int count = state.readInt();
        for (int i = 0; i < count; i++) {
            GroupTopic key = new GroupTopic(state.readUTF(), state.readUTF());
            TopicOffsets known = state.readBoolean() ? TopicOffsets.EMPTY.pin() : TopicOffsets.EMPTY;
            int queues = state.readInt();
            for (int queue = 0; queue < queues; queue++) {
                known = known.with(state.readInt(), state.readLong());
            }
            offsets.put(key, known);
        }
    }

    @Override
    public void forget() {
        offsets.clear();
        liveFrom = Long.MAX_VALUE;
        tableFrom = Long.MAX_VALUE;
        nextPart = 1;
    }

    @Override
    public long firstLiveOffset() {
        return liveFrom;
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        if (liveFrom >= belowOffset || claims.isAnyClaimed(FactKeys::isOfOffsets)) {
            return;
        }
        List<QueueCommit> table = new ArrayList<>();
        offsets.forEach((key, known) -> {
            if (known.pinned()) {
                table.add(new QueueCommit(key.group(), key.topic(), PIN, 0));
            }
            known.asMap()
                    .forEach(
                            (queueId, offset) -> table.add(new QueueCommit(key.group(), key.topic(), queueId, offset)));
        });
        table.sort(Comparator.comparing(QueueCommit::group)
                .thenComparing(QueueCommit::topic)
                .thenComparingInt(QueueCommit::queueId));
        int frames = Math.max(1, (table.size() + ENTRIES_PER_FRAME - 1) / ENTRIES_PER_FRAME);
        for (int i = 0; i < frames; i++) {
            int from = i * ENTRIES_PER_FRAME;
            List<QueueCommit> part = List.copyOf(table.subList(from, Math.min(table.size(), from + ENTRIES_PER_FRAME)));
            sink.fact(OffsetsCommitted.table(part, i + 1, frames));
        }
    }

    @Override
    public String fingerprint() {
        StringBuilder text = new StringBuilder();
        TreeMap<String, String> sorted = new TreeMap<>();
        offsets.forEach((key, known) -> {
            if (known.pinned() || !known.asMap().isEmpty()) {
                sorted.put(key.group() + "@" + key.topic(), known.pinned() + " " + known.asMap());
            }
        });
        sorted.forEach(
                (key, value) -> text.append(key).append(' ').append(value).append('\n'));
        return text.toString();
    }

    private void commit(OffsetsCommitted commits, long factOffset) {
        for (QueueCommit entry : commits.entries()) {
            fold(new GroupTopic(entry.group(), entry.topic()), entry.queueId(), entry.offset(), commits.reset());
            if (commits.reset()) {
                remember(new Reset(entry.group(), entry.topic(), entry.queueId(), factOffset));
                tell(hears -> hears.reset(entry.group(), entry.topic(), entry.queueId()));
            }
        }
        liveFrom = Math.min(liveFrom, factOffset);
        if (commits.fullTable()) {
            tablePart(commits, factOffset);
        }
    }

    private void remember(Reset reset) {
        if (listener != null) {
            return;
        }
        synchronized (replayed) {
            if (replayed.size() == MAX_RESETS) {
                replayed.removeFirst();
            }
            replayed.add(reset);
        }
    }

    /** A restated table counts once all its parts came, one after the other; a part that got lost makes it void. */
    private void tablePart(OffsetsCommitted commits, long factOffset) {
        if (commits.part() == 1) {
            tableFrom = factOffset;
            nextPart = 1;
        }
        if (commits.part() != nextPart) {
            tableFrom = Long.MAX_VALUE;
            return;
        }
        nextPart++;
        if (commits.lastPart() && tableFrom != Long.MAX_VALUE) {
            liveFrom = tableFrom; // everything older is in the table
            tableFrom = Long.MAX_VALUE;
        }
    }

    private void fold(GroupTopic key, int queueId, long offset, boolean reset) {
        TopicOffsets before = offsets.getOrDefault(key, TopicOffsets.EMPTY);
        if (queueId == PIN) {
            offsets.put(key, before.pin());
        } else if (queueId >= 0 && (reset || offset > before.find(queueId))) {
            offsets.put(key, before.with(queueId, offset));
        }
    }

    /** Pins never change an offset that is there. */
    private void pin(QueueCommit pin) {
        GroupTopic key = new GroupTopic(pin.group(), pin.topic());
        TopicOffsets known = offsets.getOrDefault(key, TopicOffsets.EMPTY).pin();
        boolean fresh = pin.queueId() >= 0 && known.find(pin.queueId()) == TopicOffsets.NONE;
        offsets.put(key, fresh ? known.with(pin.queueId(), pin.offset()) : known);
    }

    private static void write(DataOutput target, GroupTopic key, TopicOffsets known) throws IOException {
        Map<Integer, Long> byQueue = known.asMap();
        target.writeUTF(key.group());
        target.writeUTF(key.topic());
        target.writeBoolean(known.pinned());
        target.writeInt(byQueue.size());
        for (Map.Entry<Integer, Long> entry : byQueue.entrySet()) {
            target.writeInt(entry.getKey());
            target.writeLong(entry.getValue());
        }
    }
}
