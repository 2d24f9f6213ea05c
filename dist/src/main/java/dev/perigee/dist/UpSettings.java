package dev.perigee.dist;

import dev.perigee.loop.OwnedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * The broker settings of {@code perigee up}: those of a file, what the command line says, and what {@code up} decides because
 * name server and broker share a process. What of the file does not count is named.
 */
@OwnedBy("starting thread")
final class UpSettings {
    private final Properties values;
    private final List<String> warnings = new ArrayList<>();

    /** Starts with the settings of a file, which is left as it is. */
    UpSettings(Properties file) {
        this.values = new Properties();
        values.putAll(file);
    }

    /** Sets what the file cannot decide; a different value there is named with what does its work. */
    void decide(String key, String value, String instead) {
        String told = values.getProperty(key, "").strip();
        if (!told.isEmpty() && !told.equals(value)) {
            warnings.add("setting " + key + "=" + told + " is not obeyed by up, which takes "
                    + (value.isEmpty() ? "its own" : value) + ": " + instead);
        }
        values.setProperty(key, value);
    }

    /** Sets what an option says, over the file and by name; its default only where the file says nothing. */
    void option(String key, String value, String option, boolean isGiven) {
        if (isGiven) {
            decide(key, value, "overruled by " + option);
        } else if (values.getProperty(key, "").isBlank()) {
            values.setProperty(key, value);
        }
    }

    /** Everything set so far. */
    Properties values() {
        Properties copy = new Properties();
        copy.putAll(values);
        return copy;
    }

    /** The settings of the file that do not count, a line each. */
    List<String> warnings() {
        return List.copyOf(warnings);
    }
}
