package dev.perigee.loop.config;

import dev.perigee.loop.OwnedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads settings out of key=value text and remembers which keys were asked for, so that the rest can be named in a
 * warning. An empty value counts as absent.
 */
@OwnedBy("starting thread")
public final class ConfigReader {
    private final TreeMap<String, String> values = new TreeMap<>();
    private final Set<String> known = new TreeSet<>();

    public ConfigReader(Properties values) {
        for (String key : values.stringPropertyNames()) {
            this.values.put(key.trim(), values.getProperty(key).trim());
        }
    }

    /**
     * The value of a setting, or its default.
     *
     * @throws ConfigException when the value is not accepted
     */
    public <T> T get(Setting<T> setting) {
        known.add(setting.key());
        String text = values.getOrDefault(setting.key(), "");
        return setting.parse(text.isEmpty() ? setting.defaultText() : text);
    }

    /** Whether the text gives this key a value. */
    public boolean isSet(Setting<?> setting) {
        known.add(setting.key());
        return !values.getOrDefault(setting.key(), "").isEmpty();
    }

    /** Keys in the text that nobody asked for, in alphabetical order. */
    public List<String> unknownKeys() {
        List<String> unknown = new ArrayList<>(values.keySet());
        unknown.removeAll(known);
        return unknown;
    }
}
