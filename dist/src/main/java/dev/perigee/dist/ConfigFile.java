package dev.perigee.dist;

import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.tls.TlsSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Files of key=value lines. */
final class ConfigFile {
    private ConfigFile() {}

    /** Reads a file; nothing when there is none to read. */
    static Properties read(@Nullable Path file) throws CommandException {
        Properties values = new Properties();
        if (file == null) {
            return values;
        }
        try (Reader reader = Files.newBufferedReader(file)) {
            values.load(reader);
            return values;
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.USAGE, "there is no file " + file, e);
        } catch (IOException | IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    /** Adds encryption as stock servers are told it: by system properties and by a file of its own. */
    static Properties withProcessTls(Properties values, List<Setting<?>> known) throws CommandException {
        try {
            TlsSettings.addProcessSettings(values, known);
            return values;
        } catch (IOException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    /** Sorted, as it would stand in a file. */
    static String text(Map<?, ?> values) {
        StringBuilder text = new StringBuilder();
        TreeMap<String, String> sorted = new TreeMap<>();
        values.forEach((key, value) -> sorted.put(String.valueOf(key), String.valueOf(value)));
        sorted.forEach(
                (key, value) -> text.append(key).append('=').append(value).append('\n'));
        return text.toString();
    }
}
