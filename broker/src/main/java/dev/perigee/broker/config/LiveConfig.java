package dev.perigee.broker.config;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The configuration in force: what the broker was started with and the changes of code 25 since. Changes touch only the
 * allow-list below, never a path or an address, and last until the broker stops.
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
            BrokerKeys.NOTIFY_GROUPS,
            BrokerKeys.ACCEPT_FROM);
    private static final Set<String> CHANGEABLE_KEYS =
            CHANGEABLE.stream().map(Setting::key).collect(Collectors.toUnmodifiableSet());

    /** What happened to a change. */
    public record Outcome(List<String> changed, List<String> notChangeable, List<String> unknown) {
        public Outcome {
            changed = List.copyOf(changed);
            notChangeable = List.copyOf(notChangeable);
            unknown = List.copyOf(unknown);
        }
    }

    private record State(LiveSettings settings, TreeMap<String, String> texts, long changes) {}

    private volatile State state;

    /** Starts with what the broker was started with. */
    public LiveConfig(BrokerConfig config) {
        this.state = new State(config.live(), new TreeMap<>(config.texts()), 0);
    }

    /** The settings in force; take them once per request. */
    public LiveSettings settings() {
        return state.settings();
    }

    /** Every setting as text, sorted by key. */
    public Map<String, String> texts() {
        return state.texts();
    }

    /** How often the configuration was changed since the start. */
    public long changes() {
        return state.changes();
    }

    /** The keys that may be changed while the broker runs. */
    public static Set<String> changeableKeys() {
        return CHANGEABLE_KEYS;
    }

    /**
     * Applies the changeable keys, all or none: a key that is known but not changeable refuses the whole change.
     *
     * @throws ConfigException when a value is not accepted; nothing is changed then
     */
    public synchronized Outcome change(Properties wanted) { // guards the read-change-write of one reference
        List<String> changed = new ArrayList<>();
        List<String> refused = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        TreeMap<String, String> texts = new TreeMap<>(state.texts());
        Set<String> known = BrokerKeys.all().stream().map(Setting::key).collect(Collectors.toUnmodifiableSet());
        for (String key : wanted.stringPropertyNames()) {
            if (CHANGEABLE_KEYS.contains(key)) {
                texts.put(key, wanted.getProperty(key).trim());
                changed.add(key);
            } else if (known.contains(key)) {
                refused.add(key);
            } else {
                unknown.add(key);
            }
        }
        if (refused.isEmpty() && !changed.isEmpty()) {
            Properties effective = new Properties();
            effective.putAll(texts);
            LiveSettings next = BrokerConfig.live(new ConfigReader(effective, BrokerKeys.known()));
            state = new State(next, texts, state.changes() + 1);
        }
        return new Outcome(changed, refused, unknown);
    }
}
