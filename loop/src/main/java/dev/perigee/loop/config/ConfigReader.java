package dev.perigee.loop.config;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads typed settings from properties and knows which keys nobody asked for. */
@Immutable
public final class ConfigReader {
    private final Map<String, String> values;
    private final Set<String> known;
    private final List<? extends Setting<?>> settings;

    /**
     * @param properties as read from the file; a copy is taken
     * @param settings every setting of the configuration
     */
    public ConfigReader(Properties properties, List<? extends Setting<?>> settings) {
        Map<String, String> copy = new TreeMap<>();
        for (String name : properties.stringPropertyNames()) {
            copy.put(name, properties.getProperty(name));
        }
        this.values = InOrder.copyOf(copy);
        this.settings = List.copyOf(settings);
        this.known = InOrder.copyOf(settings.stream().map(Setting::key).toList());
    }

    /**
     * The value of a setting, or its default when the key is absent or blank.
     *
     * @throws ConfigException when the value is not accepted
     */
    public <T> T get(Setting<T> setting) {
        String text = values.get(setting.key());
        return text == null || text.isBlank() ? setting.defaultValue() : setting.parse(text);
    }

    /** Whether the key is there with a value. */
    public boolean has(Setting<?> setting) {
        String text = values.get(setting.key());
        return text != null && !text.isBlank();
    }

    /** What stands behind a key, as it was written; empty when the key is absent. */
    public String text(String key) {
        return values.getOrDefault(key, "");
    }

    /** The keys that belong to no setting, sorted. */
    public List<String> unknownKeys() {
        Set<String> unknown = new TreeSet<>(values.keySet());
        unknown.removeAll(known);
        return List.copyOf(unknown);
    }

    /**
     * The settings that are there with a value and change nothing, in the order they are listed; their values are checked.
     *
     * @throws ConfigException when a value is not accepted
     */
    public List<Setting<?>> withoutEffect() {
        List<Setting<?>> idle = new ArrayList<>();
        for (Setting<?> setting : settings) {
            if (!setting.isEffective() && has(setting)) {
                Object unused = get(setting);
                idle.add(setting);
            }
        }
        return List.copyOf(idle);
    }
}
