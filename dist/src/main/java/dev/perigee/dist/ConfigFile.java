package dev.perigee.dist;

import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.tls.TlsSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
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
    /** A larger file is none of settings. */
    static final int MAX_BYTES = 1 << 20;

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private ConfigFile() {}

    /**
     * Reads a file; nothing when there is none to read. Text is UTF-8, or else has a byte for a character, as stock servers
     * read it: their files often have comments in other encodings.
     */
    static Properties read(@Nullable Path file) throws CommandException {
        Properties values = new Properties();
        if (file == null) {
            return values;
        }
        try (InputStream stream = Files.newInputStream(file)) {
            values.load(new StringReader(text(file, stream.readNBytes(MAX_BYTES + 1))));
            return values;
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.USAGE, "there is no file " + file, e);
        } catch (IOException e) {
            throw new CommandException(ExitCode.USAGE, "cannot read " + file + ": " + FileFault.text(e), e);
        } catch (IllegalArgumentException e) {
            throw new CommandException(ExitCode.USAGE, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private static String text(Path file, byte[] bytes) throws CommandException {
        if (bytes.length > MAX_BYTES) {
            throw new CommandException(
                    ExitCode.USAGE, file + " is no file of settings: it has more than " + MAX_BYTES + " bytes");
        }
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == 0) {
                throw new CommandException(
                        ExitCode.USAGE, file + " is no file of settings: it is no text, its byte " + i + " is 0");
            }
        }
        String text = decode(bytes);
        return text.startsWith(BYTE_ORDER_MARK) ? text.substring(BYTE_ORDER_MARK.length()) : text;
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
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
