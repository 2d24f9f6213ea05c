package dev.perigee.broker.config;

import dev.perigee.loop.Clock;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.loop.config.ChangedSettings;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.protocol.topic.DataVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The configuration in force: what the broker was started with and what code 25 changed since, at any start. Changes touch
 * only the allow-list below, never a path or an address, are made durable in {@link ChangedSettings} first and are in force
 * then; they are stronger than the configuration file until they are changed again.
 */
@ThreadSafe
public final class LiveConfig {
    private static final List<Setting<?>> CHANGEABLE = List.of(
            BrokerKeys.AUTO_TOPIC,
            BrokerKeys.AUTO_GROUP,
            BrokerKeys.PERMISSION,
            BrokerKeys.DEFAULT_QUEUES,
            BrokerKeys.TRACE_ON,
            BrokerKeys.LONG_POLLING,
            BrokerKeys.SHORT_POLLING,
            BrokerKeys.LITE_PULL,
            BrokerKeys.PROPERTY_FILTER,
            BrokerKeys.NOTIFY_GROUPS,
            BrokerKeys.ACCEPT_FROM);
    private static final Map<String, Setting<?>> BY_KEY =
            CHANGEABLE.stream().collect(Collectors.toMap(Setting::key, setting -> setting));
    private static final Set<String> FIXED = fixed();

    /** What happened to a change. */
    public record Outcome(List<String> changed, List<String> notChangeable, List<String> unknown) {
        public Outcome {
            changed = List.copyOf(changed);
            notChangeable = List.copyOf(notChangeable);
            unknown = List.copyOf(unknown);
        }
    }

    private record State(
            LiveSettings settings,
            SortedMap<String, String> texts,
            SortedMap<String, String> changed,
            DataVersion version) {}

    private final ChangedSettings file;
    private final Clock clock;
    private volatile State state;

    private LiveConfig(ChangedSettings file, Clock clock, State state) {
        this.file = file;
        this.clock = clock;
        this.state = state;
    }

    /**
     * What the broker was started with, and over it what was changed before. Blocks.
     *
     * @throws IOException when the file of changes cannot be read, or has a value that is not accepted
     */
    public static LiveConfig open(BrokerConfig config, ChangedSettings file, Clock clock) throws IOException {
        SortedMap<String, String> changed = file.read(CHANGEABLE);
        TreeMap<String, String> texts = new TreeMap<>(config.texts());
        texts.putAll(changed);
        return new LiveConfig(
                file, clock, new State(settings(texts), texts, changed, new DataVersion(0, clock.wallMs(), 0)));
    }

    /** The settings in force; take them once per request. */
    public LiveSettings settings() {
        return state.settings();
    }

    /** Every setting as text, sorted by key. */
    public Map<String, String> texts() {
        return Collections.unmodifiableMap(state.texts());
    }

    /** Moves with every change since the start. */
    public DataVersion version() {
        return state.version();
    }

    /** The keys that may be changed while the broker runs, sorted. */
    public static Set<String> changeableKeys() {
        return Collections.unmodifiableSet(new TreeSet<>(BY_KEY.keySet()));
    }

    /**
     * Applies the changeable keys, all or none: a key that is known but not changeable refuses the whole change; an unknown
     * one is passed over. Blocks until the change is durable.
     *
     * @throws ConfigException when a value is not accepted; nothing is changed then
     * @throws IOException when the change cannot be made durable; nothing else is in force then. The text says so when the file
     *     holds the change nevertheless, so that it counts at the next start; a later change takes it back
     */
    public synchronized Outcome change(Properties wanted) throws IOException { // guards the read-change-write
        List<String> refused = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        TreeMap<String, String> step = new TreeMap<>();
        for (String key : new TreeSet<>(wanted.stringPropertyNames())) {
            Setting<?> setting = BY_KEY.get(key);
            if (setting != null) {
                step.put(key, String.valueOf(setting.parse(wanted.getProperty(key))));
            } else if (FIXED.contains(key)) {
                refused.add(key);
            } else {
                unknown.add(key);
            }
        }
        Outcome outcome = new Outcome(List.copyOf(step.keySet()), refused, unknown);
        if (refused.isEmpty() && !step.isEmpty()) {
            State before = state;
            TreeMap<String, String> changed = new TreeMap<>(before.changed());
            changed.putAll(step);
            TreeMap<String, String> texts = new TreeMap<>(before.texts());
            texts.putAll(step);
            file.write(changed);
            state = new State(settings(texts), texts, changed, before.version().next(clock.wallMs()));
        }
        return outcome;
    }

    private static LiveSettings settings(Map<String, String> texts) {
        Properties effective = new Properties();
        effective.putAll(texts);
        return BrokerConfig.live(new ConfigReader(effective, BrokerKeys.known()));
    }

    private static Set<String> fixed() {
        Set<String> fixed = new TreeSet<>(StockKeys.names());
        BrokerKeys.known().forEach(setting -> fixed.add(setting.key()));
        fixed.removeAll(BY_KEY.keySet());
        return InOrder.copyOf(fixed);
    }
}
