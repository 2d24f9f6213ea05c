package dev.perigee.remoting.tls;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsConfig.ClientAuth;
import dev.perigee.remoting.transport.TlsConfig.Identity;
import dev.perigee.remoting.transport.TlsConfig.Trust;
import dev.perigee.remoting.transport.TlsMode;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the settings of encryption. What asks for a guarantee is kept or refused: a mode that is enforced without a
 * certificate, or a verification that could never take place, is a {@link ConfigException}.
 */
public final class TlsSettings {
    private static final Logger LOG = LoggerFactory.getLogger(TlsSettings.class);
    private static final String FILE_PROPERTY = "tls.config.file";
    private static final Path DEFAULT_FILE = Path.of("/etc/rocketmq/tls.properties");

    private TlsSettings() {}

    /** How a port is encrypted. A certificate that is configured is used, whatever the test mode says. */
    public static TlsConfig server(ConfigReader reader) {
        TlsMode mode = reader.get(TlsKeys.MODE);
        Path certificate = path(reader, TlsKeys.SERVER_CERT);
        Path key = path(reader, TlsKeys.SERVER_KEY);
        if (mode == TlsMode.DISABLED) {
            return TlsConfig.OFF;
        }
        requireTogether(TlsKeys.SERVER_CERT, certificate, TlsKeys.SERVER_KEY, key);
        ClientAuth asking = reader.get(TlsKeys.NEED_CLIENT_AUTH);
        boolean verify = reader.get(TlsKeys.AUTH_CLIENT);
        if (verify && asking == ClientAuth.NONE) {
            throw new ConfigException(
                    TlsKeys.NEED_CLIENT_AUTH.key(),
                    "none",
                    "optional or require, because tls.server.authClient=true verifies certificates that nobody is"
                            + " asked for");
        }
        if (certificate == null && !reader.get(TlsKeys.TEST_MODE)) {
            if (mode == TlsMode.ENFORCING) {
                throw new ConfigException(
                        TlsKeys.MODE.key(),
                        "enforcing",
                        "tls.server.certPath and tls.server.keyPath with it, or tls.test.mode.enable=true for a"
                                + " throw-away certificate");
            }
            LOG.info("event=tls_off reason=no_certificate");
            return TlsConfig.OFF;
        }
        Path roots = path(reader, TlsKeys.SERVER_TRUST);
        return new TlsConfig(
                mode,
                certificate == null ? Identity.THROW_AWAY : Identity.FILES,
                certificate,
                key,
                textOrNull(reader.get(TlsKeys.SERVER_PASSWORD)),
                trust(verify, roots),
                roots,
                asking);
    }

    /** How own connections are encrypted. */
    public static TlsConfig client(ConfigReader reader) {
        boolean verify = reader.get(TlsKeys.AUTH_SERVER);
        if (!reader.get(TlsKeys.ENABLE)) {
            return TlsConfig.OFF;
        }
        Path certificate = path(reader, TlsKeys.CLIENT_CERT);
        Path key = path(reader, TlsKeys.CLIENT_KEY);
        requireTogether(TlsKeys.CLIENT_CERT, certificate, TlsKeys.CLIENT_KEY, key);
        Path roots = path(reader, TlsKeys.CLIENT_TRUST);
        if (roots != null && !verify) {
            LOG.warn("event=tls_setting_unused key=tls.client.trustCertPath reason=tls.client.authServer_is_false");
        }
        return new TlsConfig(
                TlsMode.ENFORCING,
                certificate == null ? Identity.NONE : Identity.FILES,
                certificate,
                key,
                textOrNull(reader.get(TlsKeys.CLIENT_PASSWORD)),
                trust(verify, roots),
                roots,
                ClientAuth.NONE);
    }

    /** How own connections are encrypted according to {@link #addProcessSettings}. */
    public static TlsConfig clientOfProcess() throws IOException {
        return client(new ConfigReader(clientProcessSettings(), TlsKeys.CLIENT));
    }

    /** The same with {@code tls.enable} true in any case. */
    public static TlsConfig encryptingClientOfProcess() throws IOException {
        Properties values = clientProcessSettings();
        values.setProperty(TlsKeys.ENABLE.key(), "true");
        return client(new ConfigReader(values, TlsKeys.CLIENT));
    }

    private static Properties clientProcessSettings() throws IOException {
        Properties values = new Properties();
        addProcessSettings(values, TlsKeys.CLIENT);
        return values;
    }

    /**
     * Adds the settings as stock peers take them: system properties {@code tls.*} are stronger than {@code values}, and the
     * lines of the file that the property {@code tls.config.file} names are weaker; without the property the file is
     * {@code /etc/rocketmq/tls.properties}, where that exists.
     *
     * @param known the keys that are looked for
     * @throws IOException when the file cannot be read, naming it
     */
    public static void addProcessSettings(Properties values, List<Setting<?>> known) throws IOException {
        addProcessSettings(values, known, System.getProperties());
    }

    static void addProcessSettings(Properties values, List<Setting<?>> known, Properties system) throws IOException {
        Properties file = linesOfFile(system.getProperty(FILE_PROPERTY, "").strip());
        for (Setting<?> setting : known) {
            String key = setting.key();
            String ofFile = file.getProperty(key);
            String ofSystem = system.getProperty(key);
            if (ofFile != null) {
                values.putIfAbsent(key, ofFile);
            }
            if (ofSystem != null) {
                values.setProperty(key, ofSystem);
            }
        }
    }

    private static Properties linesOfFile(String named) throws IOException {
        Properties lines = new Properties();
        Path file = named.isEmpty() ? DEFAULT_FILE : Path.of(named);
        if (named.isEmpty() && !Files.exists(file)) {
            return lines;
        }
        try (Reader reader = Files.newBufferedReader(file)) {
            lines.load(reader);
            return lines;
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException("setting " + FILE_PROPERTY + "=" + file + " cannot be used: " + e, e);
        }
    }

    private static Trust trust(boolean verify, @Nullable Path roots) {
        if (!verify) {
            return Trust.ALL;
        }
        return roots == null ? Trust.SYSTEM : Trust.FILE;
    }

    private static void requireTogether(
            Setting<String> certificateKey, @Nullable Path certificate, Setting<String> keyKey, @Nullable Path key) {
        if (certificate == null && key != null) {
            throw new ConfigException(keyKey.key(), key.toString(), certificateKey.key() + " with it");
        }
        if (certificate != null && key == null) {
            throw new ConfigException(certificateKey.key(), certificate.toString(), keyKey.key() + " with it");
        }
    }

    private static @Nullable Path path(ConfigReader reader, Setting<String> setting) {
        String text = reader.get(setting);
        return text.isEmpty() ? null : Path.of(text);
    }

    private static @Nullable String textOrNull(String text) {
        return text.isEmpty() ? null : text;
    }
}
