package dev.perigee.loop.config;

import dev.perigee.loop.OwnedBy;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What tools changed while a server ran, kept as {@code key=value} lines so that it outlives a restart. The lines lie beside
 * the data of the server and are stronger than the configuration file of the operator, which is never rewritten.
 */
@OwnedBy("whoever changes settings, one at a time")
public final class ChangedSettings {
    /** More than this is neither read nor written: the settings that may change make a few short lines. */
    public static final int MAX_BYTES = 64 * 1024;

    private static final Logger LOG = LoggerFactory.getLogger(ChangedSettings.class);

    /** A small file that is only ever replaced as a whole; {@code toString} names it for the operator. */
    public interface Place {
        /**
         * Everything the file holds; empty when there is no file. Blocks.
         *
         * @throws IOException when it cannot be read, or is larger than {@code maxBytes}
         */
        Optional<byte[]> read(int maxBytes) throws IOException;

        /**
         * Replaces the file. Blocks until that is durable: a crash leaves the old file or the new one, whole.
         *
         * @throws IOException when it is not; the old file is still there then, unless the text says that the new one is
         */
        void replace(byte[] bytes) throws IOException;
    }

    private final Place place;
    private final String head;

    /**
     * The lines at this place; nothing is read yet.
     *
     * @param server what the file calls the server, for instance {@code broker}
     * @param command the tool's command that makes the changes
     */
    public ChangedSettings(Place place, String server, String command) {
        this.place = place;
        this.head = "# Settings changed while the " + server + " ran (" + command + "). Stronger than the configuration"
                + " file. With the " + server + " stopped, lines or the whole file may be deleted.\n";
    }

    /**
     * What was changed, by key; nothing when there is no file. Lines of other keys are passed over with a warning. Blocks.
     *
     * @param changeable the settings that may change
     * @throws IOException when the file is there and cannot be read, or has a value that is not accepted, naming file, key and
     *     value
     */
    public SortedMap<String, String> read(Collection<? extends Setting<?>> changeable) throws IOException {
        Map<String, Setting<?>> byKey = changeable.stream().collect(Collectors.toMap(Setting::key, setting -> setting));
        Properties lines = lines();
        SortedMap<String, String> changed = new TreeMap<>();
        try {
            for (String key : new TreeSet<>(lines.stringPropertyNames())) {
                Setting<?> setting = byKey.get(key);
                if (setting == null) {
                    LOG.warn("event=changed_setting_ignored key={} file={}", key, place);
                } else {
                    changed.put(key, String.valueOf(setting.parse(lines.getProperty(key))));
                }
            }
        } catch (ConfigException e) {
            throw new IOException(place + ": " + e.getMessage(), e);
        }
        if (!changed.isEmpty()) {
            LOG.info("event=changed_settings_in_force settings={} file={}", changed, place);
        }
        return changed;
    }

    /**
     * Keeps these changes in place of those that were kept. Blocks until they are durable.
     *
     * @throws IOException when they are not, or are longer than {@link #MAX_BYTES}; those before count at the next start then,
     *     unless the text says that these do
     */
    public void write(SortedMap<String, String> changed) throws IOException {
        StringBuilder text = new StringBuilder(head);
        changed.forEach((key, value) ->
                text.append(key).append('=').append(escaped(value)).append('\n'));
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_BYTES) {
            throw new IOException(place + " would have " + bytes.length + " bytes, at most " + MAX_BYTES + " are kept");
        }
        place.replace(bytes);
    }

    @Override
    public String toString() {
        return place.toString();
    }

    private Properties lines() throws IOException {
        Properties lines = new Properties();
        Optional<byte[]> bytes = place.read(MAX_BYTES);
        if (bytes.isEmpty()) {
            return lines;
        }
        try {
            lines.load(new StringReader(new String(bytes.get(), StandardCharsets.UTF_8)));
            return lines;
        } catch (IllegalArgumentException e) {
            throw new IOException(place + " is no list of key=value lines: " + e.getMessage(), e);
        }
    }

    /** What {@link Properties#load} would take for something else. */
    private static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }
}
