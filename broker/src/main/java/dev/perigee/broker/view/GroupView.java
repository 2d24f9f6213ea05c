package dev.perigee.broker.view;

import dev.perigee.broker.fact.Claims;
import dev.perigee.broker.fact.FactKeys;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.GroupChanged;
import dev.perigee.protocol.fact.GroupDeleted;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.json.BadBodyException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.DataVersion;
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
 * Which consumer groups exist, folded over GroupChanged and GroupDeleted. The view loop folds; everyone else reads {@link
 * #current()}, an immutable value that is replaced at most once per pass.
 */
@OwnedBy("view loop")
public final class GroupView implements LogView {
    private record Known(SubscriptionGroupConfig config, long factOffset) {}

    /** Told of changes to groups that were there before. */
    public interface ChangeListener {
        /**
         * After {@link GroupView#current()} shows it, once for each pass; on the view loop.
         *
         * @param after null when the group is gone
         */
        void changed(SubscriptionGroupConfig before, @Nullable SubscriptionGroupConfig after);
    }

    private final Claims claims;
    private final Map<String, Known> groups = new HashMap<>();
    private final Map<String, SubscriptionGroupConfig> changedBefore =
            new LinkedHashMap<>(); // in this pass: as they were
    private volatile ChangeListener listener = (before, after) -> {};
    private DataVersion version = DataVersion.NONE;
    private boolean changed;
    private volatile Groups current = Groups.NONE;

    /** An empty view; {@code claims} tells what must not be carried forward. */
    public GroupView(Claims claims) {
        this.claims = claims;
    }

    /** All groups as of the last pass. May be called from any thread. */
    public Groups current() {
        return current;
    }

    /** From now on the listener is told, in place of the one before. */
    public void onChange(ChangeListener told) {
        listener = told;
    }

    @Override
    public String name() {
        return "groups";
    }

    @Override
    public void apply(LogEntry entry) {
        Fact fact = entry.fact();
        if (fact instanceof GroupChanged group) {
            put(group.group(), entry);
        } else if (fact instanceof GroupDeleted group) {
            Known before = groups.remove(group.group());
            if (before != null) {
                changedBefore.putIfAbsent(group.group(), before.config());
                bump(entry);
            }
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
        List<SubscriptionGroupConfig> were = List.copyOf(changedBefore.values());
        changedBefore.clear();
        were.forEach(before -> listener.changed(before, current.find(before.groupName())));
    }

    @Override
    public ViewImage freeze() {
        Map<String, Known> frozen = new TreeMap<>(groups);
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
            SubscriptionGroupConfig config = parse(json);
            groups.put(config.groupName(), new Known(config, factOffset));
        }
        publish();
    }

    @Override
    public void forget() {
        groups.clear();
        changedBefore.clear();
        version = DataVersion.NONE;
        publish();
    }

    @Override
    public long firstLiveOffset() {
        return groups.values().stream().mapToLong(Known::factOffset).min().orElse(Long.MAX_VALUE);
    }

    @Override
    public void carryForward(long belowOffset, CarrySink sink) {
        groups.forEach((name, known) -> {
            if (known.factOffset() < belowOffset && !claims.isClaimed(FactKeys.group(name))) {
                sink.fact(new GroupChanged(known.config(), null, List.of()));
            }
        });
    }

    @Override
    public String fingerprint() {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(groups)
                .values()
                .forEach(known -> text.append(known.config()).append('\n'));
        return text.toString();
    }

    private static SubscriptionGroupConfig parse(byte[] json) throws IOException {
        try {
            return Json.read(json, SubscriptionGroupConfig.class);
        } catch (BadBodyException e) {
            throw new IOException(e);
        }
    }

    private void put(SubscriptionGroupConfig config, LogEntry entry) {
        Known before = groups.put(config.groupName(), new Known(config, entry.offset()));
        if (before == null || !before.config().equals(config)) {
            if (before != null) {
                changedBefore.putIfAbsent(config.groupName(), before.config());
            }
            bump(entry);
        }
    }

    private void bump(LogEntry entry) {
        version = version.next(entry.storeTimestampMs());
        changed = true;
    }

    private void publish() {
        Map<String, SubscriptionGroupConfig> configs = new HashMap<>(groups.size() * 2);
        groups.forEach((name, known) -> configs.put(name, known.config()));
        current = Groups.of(configs, version);
    }
}
