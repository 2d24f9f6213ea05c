package dev.perigee.broker.config;

import com.sun.management.OperatingSystemMXBean;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.metrics.MetricsSettings;
import dev.perigee.remoting.tls.TlsKeys;
import dev.perigee.remoting.tls.TlsSettings;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Everything a broker is told at its start, read once from RocketMQ's keys.
 *
 * @param identity who it is
 * @param network ports
 * @param storage folders and flushing
 * @param sending limits of sending
 * @param reading limits of reading
 * @param registration NameServers
 * @param metrics the Prometheus endpoint
 * @param live the start values of what may change later
 * @param texts every setting as it is in force, as text, defaults included, by key; without passwords
 * @param ignored keys that stood in the file and are not obeyed, each with what to know about it
 */
@Immutable
public record BrokerConfig(
        BrokerIdentity identity,
        NetworkSettings network,
        StorageSettings storage,
        SendSettings sending,
        ReadSettings reading,
        RegistrationSettings registration,
        MetricsSettings metrics,
        LiveSettings live,
        Map<String, String> texts,
        List<IgnoredKey> ignored) {
    private static final String EVERYWHERE = "0.0.0.0";

    public BrokerConfig {
        texts = Map.copyOf(texts);
        ignored = List.copyOf(ignored);
    }

    /**
     * Reads a configuration.
     *
     * @throws ConfigException when a value is not accepted, or a key asks for a guarantee that is not built yet
     */
    public static BrokerConfig read(Properties values) {
        ConfigReader reader = new ConfigReader(values, BrokerKeys.known());
        refuseWhatIsNotBuilt(reader);
        BrokerIdentity identity = new BrokerIdentity(
                reader.get(BrokerKeys.CLUSTER),
                reader.get(BrokerKeys.NAME),
                reader.get(BrokerKeys.ID),
                reader.get(BrokerKeys.IP1),
                reader.get(BrokerKeys.LISTEN_PORT),
                reader.get(BrokerKeys.HA_PORT));
        return new BrokerConfig(
                identity,
                network(reader),
                storage(reader),
                sending(reader),
                reading(reader),
                registration(reader),
                MetricsSettings.read(reader, BrokerKeys.METRICS_PORT),
                live(reader),
                effective(reader),
                ignored(reader));
    }

    private static List<IgnoredKey> ignored(ConfigReader reader) {
        List<IgnoredKey> ignored =
                new ArrayList<>(StockKeys.ignored(reader, rootFolder(reader.get(BrokerKeys.ROOT_DIR))));
        for (Setting<?> setting : reader.withoutEffect()) {
            ignored.add(new IgnoredKey(setting.key(), "is known. " + setting.doc()));
        }
        return ignored;
    }

    private static TreeMap<String, String> effective(ConfigReader reader) {
        TreeMap<String, String> all = new TreeMap<>();
        for (Setting<?> setting : BrokerKeys.all()) {
            all.put(setting.key(), String.valueOf(reader.get(setting)));
        }
        all.put(BrokerKeys.ROOT_DIR.key(), rootFolder(reader.get(BrokerKeys.ROOT_DIR)));
        all.replace(BrokerKeys.BIND.key(), "", EVERYWHERE);
        TlsKeys.SECRETS.forEach(secret -> all.remove(secret.key()));
        return all;
    }

    /** The same configuration with address and ports as they turned out at the start. */
    public BrokerConfig resolved(BrokerIdentity found) {
        TreeMap<String, String> all = new TreeMap<>(texts);
        all.put(BrokerKeys.IP1.key(), found.host());
        all.put(BrokerKeys.LISTEN_PORT.key(), Integer.toString(found.port()));
        all.put(BrokerKeys.HA_PORT.key(), Integer.toString(found.haPort()));
        return new BrokerConfig(
                identity, network, storage, sending, reading, registration, metrics, live, all, ignored);
    }

    private static void refuseWhatIsNotBuilt(ConfigReader reader) {
        for (Setting<Boolean> setting : BrokerKeys.NOT_BUILT) {
            if (reader.get(setting)) {
                throw notBuilt(setting.key(), "true", "false");
            }
        }
        BrokerRole role = reader.get(BrokerKeys.ROLE);
        if (role != BrokerRole.ASYNC_MASTER) {
            throw notBuilt(BrokerKeys.ROLE.key(), role.name(), "ASYNC_MASTER");
        }
    }

    private static ConfigException notBuilt(String key, String value, String accepted) {
        return new ConfigException(key, value, accepted + " (this guarantee is not built yet)");
    }

    private static NetworkSettings network(ConfigReader reader) {
        int port = reader.get(BrokerKeys.LISTEN_PORT);
        if (port == 1 || port == 2) {
            throw new ConfigException(BrokerKeys.LISTEN_PORT.key(), Integer.toString(port), "3 to 65535");
        }
        return new NetworkSettings(
                reader.get(BrokerKeys.BIND),
                port,
                port != 0,
                TlsSettings.server(reader),
                TlsSettings.client(reader),
                1000 * reader.get(BrokerKeys.SHUTDOWN_WAIT));
    }

    private static String rootFolder(String configured) {
        return configured.isEmpty() ? System.getProperty("user.home", ".") + "/store" : configured;
    }

    private static StorageSettings storage(ConfigReader reader) {
        return new StorageSettings(
                rootFolder(reader.get(BrokerKeys.ROOT_DIR)),
                reader.get(BrokerKeys.FLUSH),
                reader.get(BrokerKeys.SYNC_FLUSH_TIMEOUT),
                reader.get(BrokerKeys.SEGMENT_SIZE),
                reader.get(BrokerKeys.MAX_MESSAGE_SIZE),
                reader.get(BrokerKeys.RETENTION),
                reader.get(BrokerKeys.DELETE_WHEN),
                reader.get(BrokerKeys.MIN_FREE_BYTES),
                reader.get(BrokerKeys.MIN_FREE_PERCENT),
                reader.get(BrokerKeys.KEY_INDEX));
    }

    private static SendSettings sending(ConfigReader reader) {
        return new SendSettings(
                reader.get(BrokerKeys.MAX_MESSAGE_SIZE),
                reader.get(BrokerKeys.REGION),
                reader.get(BrokerKeys.SEND_WAIT),
                reader.get(BrokerKeys.PULL_WAIT),
                reader.get(BrokerKeys.TRACE_TOPIC) ? reader.get(BrokerKeys.TRACE_TOPIC_NAME) : "");
    }

    private static ReadSettings reading(ConfigReader reader) {
        return new ReadSettings(
                reader.get(BrokerKeys.MAX_COUNT_NEAR),
                reader.get(BrokerKeys.MAX_BYTES_NEAR),
                reader.get(BrokerKeys.MAX_COUNT_FAR),
                reader.get(BrokerKeys.MAX_BYTES_FAR),
                reader.get(BrokerKeys.MEMORY_RATIO) * (machineMemoryBytes() / 100),
                reader.get(BrokerKeys.QUERY_MAX));
    }

    private static long machineMemoryBytes() {
        OperatingSystemMXBean machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return machine == null ? 0 : machine.getTotalMemorySize();
    }

    private static RegistrationSettings registration(ConfigReader reader) {
        List<String> nameServers = Arrays.stream(reader.get(BrokerKeys.NAMESRV).split("[;,]", -1))
                .map(String::trim)
                .filter(address -> !address.isEmpty())
                .map(address -> address.startsWith("http://") ? address.substring("http://".length()) : address)
                .distinct()
                .toList();
        for (String address : nameServers) {
            if (!address.matches(".+:\\d{1,5}")) {
                throw new ConfigException(BrokerKeys.NAMESRV.key(), address, "host:port");
            }
        }
        return new RegistrationSettings(
                nameServers,
                reader.get(BrokerKeys.REGISTER_PERIOD),
                reader.get(BrokerKeys.REGISTER_TIMEOUT),
                reader.get(BrokerKeys.REGISTER_COMPRESSED),
                reader.get(BrokerKeys.REGISTER_ALWAYS));
    }

    static LiveSettings live(ConfigReader reader) {
        return new LiveSettings(
                reader.get(BrokerKeys.AUTO_TOPIC),
                reader.get(BrokerKeys.AUTO_GROUP),
                reader.get(BrokerKeys.PERMISSION),
                reader.get(BrokerKeys.DEFAULT_QUEUES),
                reader.get(BrokerKeys.TRACE_ON),
                reader.get(BrokerKeys.LONG_POLLING),
                reader.get(BrokerKeys.SHORT_POLLING),
                reader.get(BrokerKeys.LITE_PULL),
                reader.get(BrokerKeys.NOTIFY_GROUPS),
                reader.get(BrokerKeys.ACCEPT_FROM));
    }
}
