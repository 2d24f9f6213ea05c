package dev.perigee.namesrv;

import dev.perigee.loop.InOrder;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.loop.config.ChangedSettings;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.namesrv.NameServerConfig.Switches;
import java.io.IOException;
import java.util.Properties;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The settings that may change while the server runs, behind the one reference through which they change: what the server
 * was told, and over it what request 318 changed, at any start. A change is kept in a file first and is in force then.
 */
@ThreadSafe
final class LiveSwitches implements Supplier<Switches> {
    /** The keys that may change. */
    static final Set<String> CHANGEABLE =
            InOrder.copyOf(Switches.ALL.stream().map(Setting::key).toList());

    private final ChangedSettings file;
    private volatile Switches current;
    private SortedMap<String, String> changed = new TreeMap<>(); // of the one task at a time that opens or changes

    /**
     * @param initial what the server was told
     * @param file keeps what was changed
     */
    LiveSwitches(Switches initial, ChangedSettings file) {
        this.current = initial;
        this.file = file;
    }

    /**
     * Puts in force what was changed before. Blocks.
     *
     * @throws IOException when the file of changes cannot be read, or has a value that is not accepted
     */
    void open() throws IOException {
        changed = file.read(Switches.ALL);
        current = merged(current, changed);
    }

    @Override
    public Switches get() {
        return current;
    }

    /**
     * Changes settings, all or none. One at a time; blocks until the change is durable.
     *
     * @param asked only keys that may change
     * @return what is in force now
     * @throws dev.perigee.loop.config.ConfigException when a value is not accepted; nothing is changed then
     * @throws IOException when the change cannot be kept; nothing else is in force then. The text says so when the file holds
     *     the change nevertheless, so that it counts at the next start; a later change takes it back
     */
    Switches change(Properties asked) throws IOException {
        SortedMap<String, String> step = new TreeMap<>();
        for (Setting<Boolean> setting : Switches.ALL) {
            String text = asked.getProperty(setting.key());
            if (text != null) {
                step.put(setting.key(), String.valueOf(setting.parse(text)));
            }
        }
        if (!step.isEmpty()) {
            SortedMap<String, String> all = new TreeMap<>(changed);
            all.putAll(step);
            file.write(all);
            changed = all;
            current = merged(current, step);
        }
        return current;
    }

    private static Switches merged(Switches current, SortedMap<String, String> step) {
        Properties values = current.toProperties();
        values.putAll(step);
        return Switches.read(new ConfigReader(values, Switches.ALL));
    }
}
