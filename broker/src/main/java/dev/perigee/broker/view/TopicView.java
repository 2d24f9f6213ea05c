package dev.perigee.broker.view;

import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.TopicChanged;
import dev.perigee.protocol.fact.TopicDeleted;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.DataVersion;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.store.view.LogEntry;
import dev.perigee.store.view.LogView;
import dev.perigee.store.view.ViewImage;
import java.io.DataInput;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which topics exist, folded over TopicChanged, TopicDeleted and the retry topics of GroupChanged. The view loop folds;
 * everyone else reads {@link #current()}, an immutable value that is replaced at most once per pass.
 */
@OwnedBy("view loop")
public final class TopicView implements LogView {
    private record Known(TopicConfig config, long factOffset) {}

    /** Told of changes to topics that were there before. */
    public interface ChangeListener {
        /**
         * After {@link TopicView#current()} shows it, once for each pass; on the view loop.
         *
         * @param after null when the topic is gone
         */
        void changed(TopicConfig before, @Nullable TopicConfig after);
    }

    private final Claims claims;
    private final Map<String, Known> topics = new HashMap<>();
    private final Map<String, TopicConfig> changedBefore = new LinkedHashMap<>(); // in this pass: as they were
    private volatile ChangeListener listener = (before, after) -> {};
    private DataVersion version = DataVersion.NONE;
    private boolean changed;
    private volatile Topics current = Topics.NONE;

    /** An empty view; {@code claims} tells what must not be carried forward. */
    public TopicView(Claims claims) {
        this.claims = claims;
    }

    /** All topics as of the last pass. May be called from any thread. */
    public Topics current() {
        return current;
    }

    /** From now on the listener is told, in place of the one before. */
    public void onChange(ChangeListener told) {
        listener = told;
    }

    @Override
    public String name() {
        return "topics";
    }

    @Override
    public void apply(LogEntry entry) {
        Fact fact = entry.fact();
        if (fact instanceof TopicChanged topic) {
            put(topic.topic(), entry);
        } else if (fact instanceof TopicDeleted topic) {
            Known before = topics.remove(topic.topic());
            if (before != null) {
                changedBefore.putIfAbsent(topic.topic(), before.config());
                bump(entry);
            }
        } else if (fact instanceof GroupChanged group && group.retryTopic() != null) {
            put(group.retryTopic(), entry);
        }
    }

    @Override
    public void passEnded() {
        if (changed) {
            changed = false;
            publish();
            tell();
        }
    }

    private void tell() {
        List<TopicConfig> were = List.copyOf(changedBefore.values());
        changedBefore.clear();
        were.forEach(before -> listener.changed(before, current.find(before.topicName())));
    }

    @Override
    public ViewImage freeze() {
        Map<String, Known> frozen = new TreeMap<>(topics);
        DataVersion frozenVersion = version;
        return target -> {
            target.writeLong(frozenVersion.timestamp());
            target.writeLong(frozenVersion.counter());
            target.writeInt(frozen.size());
            for (Known known : frozen.values()) {
                byte[] json = Json.write(known.config());
                target.writeLong(known.factOffset());
                target.writeInt(json.length);
                target.write(json);
            }
        };
    }

    @Override
    public void restore(DataInput state) throws IOException {
        version = new DataVersion(0, state.readLong(), state.readLong());
        int count = state.readInt();
        for (int i = 0; i < count; i++) {
            long factOffset = state.readLong();
            byte[] json = new byte[state.readInt()];
            state.readFully(json);
            TopicConfig config = parse(json);
            topics.put(config.topicName(), new Known(config, factOffset));
        }
        publish();
    }

    @Override
    public void forget() {
        topics.clear();
        changedBefore.clear();
        version = DataVersion.NONE;
        publish();
    }

    @Override
    public long firstLiveOffset() {
        return topics.values().stream().mapToLong(Known::factOffset).min().orElse(Long.MAX_VALUE);
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        topics.forEach((name, known) -> {
            if (known.factOffset() < belowOffset && !claims.isClaimed(FactKeys.topic(name))) {
                sink.fact(new TopicChanged(known.config()));
            }
        });
    }

    @Override
    public String fingerprint() {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(topics)
                .values()
                .forEach(known -> text.append(known.config()).append('\n'));
        return text.toString();
    }

    private static TopicConfig parse(byte[] json) throws IOException {
        try {
            return Json.read(json, TopicConfig.class);
        } catch (BadBodyException e) {
            throw new IOException(e);
        }
    }

    private void put(TopicConfig config, LogEntry entry) {
        Known before = topics.put(config.topicName(), new Known(config, entry.offset()));
        if (before == null || !before.config().equals(config)) {
            if (before != null) {
                changedBefore.putIfAbsent(config.topicName(), before.config());
            }
            bump(entry);
        }
    }

    private void bump(LogEntry entry) {
        version = version.next(entry.storeTimestampMs());
        changed = true;
    }

    private void publish() {
        Map<String, TopicConfig> configs = new HashMap<>(topics.size() * 2);
        topics.forEach((name, known) -> configs.put(name, known.config()));
        current = new Topics(InOrder.copyOf(configs), version);
    }
}
