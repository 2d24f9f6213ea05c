package dev.perigee.broker.config;

import com.sun.management.OperatingSystemMXBean;
import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.address.AddressText;
import dev.perigee.remoting.address.ListenPort;
import dev.perigee.remoting.metrics.MetricsSettings;
import dev.perigee.remoting.tls.TlsKeys;
import dev.perigee.remoting.tls.TlsSettings;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Everything a broker is told at its start, read once from RocketMQ's keys.
 *
 * @param identity who it is
 * @param network ports
 * @param replication with whom it replicates as a master or slave
 * @param group the group that elects its master, if any
 * @param storage folders and flushing
 * @param sending limits of sending
 * @param transactions how undecided transactions are treated
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
        ReplicationSettings replication,
        GroupSettings group,
        StorageSettings storage,
        SendSettings sending,
        TransactionSettings transactions,
        ReadSettings reading,
        RegistrationSettings registration,
        MetricsSettings metrics,
        LiveSettings live,
        Map<String, String> texts,
        List<IgnoredKey> ignored) {
    /** The second port of clients lies so far below listenPort. */
    public static final int FAST_PORT_BELOW = 2;

    private static final String EVERYWHERE = "0.0.0.0";

    public BrokerConfig {
        texts = InOrder.copyOf(texts);
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
        GroupSettings group = GroupSettings.read(reader);
        ReplicationSettings told = ReplicationSettings.read(reader);
        ReplicationSettings replication = group.on() ? told.ofMember() : told;
        BrokerIdentity identity = new BrokerIdentity(
                reader.get(BrokerKeys.CLUSTER),
                reader.get(BrokerKeys.NAME),
                group.on() ? group.slaveId() : reader.get(ReplicationSettings.ID),
                reader.get(BrokerKeys.IP1),
                reader.get(BrokerKeys.IP2),
                reader.get(BrokerKeys.LISTEN_PORT),
                reader.get(BrokerKeys.HA_PORT));
        BrokerConfig config = new BrokerConfig(
                identity,
                network(reader),
                replication,
                group,
                storage(reader),
                sending(reader),
                transactions(reader),
                reading(reader),
                registration(reader),
                MetricsSettings.read(reader, BrokerKeys.METRICS_PORT),
                live(reader),
                effective(reader),
                ignored(reader));
        config.requireDistinctPorts();
        return config;
    }

    /** Every port that is opened at the start; what the system chooses is 0. */
    public List<ListenPort> ports() {
        List<ListenPort> ports = new ArrayList<>(List.of(clientPort()));
        if (network.fastPort()) {
            ports.add(port(
                    BrokerKeys.LISTEN_PORT.key() + " - " + FAST_PORT_BELOW, network.listenPort() - FAST_PORT_BELOW));
        }
        ports.addAll(metrics.ports());
        if (replication.mayBeFollowed()) {
            ports.add(haPort());
        }
        if (group.on()) {
            ports.add(groupPort());
        }
        return List.copyOf(ports);
    }

    /** The port clients connect to. */
    public ListenPort clientPort() {
        return port(BrokerKeys.LISTEN_PORT.key(), network.listenPort());
    }

    /** The port replicas connect to, where it is opened. */
    public ListenPort haPort() {
        boolean isBesideClients = identity.haPort() == 0 && network.listenPort() != 0;
        return isBesideClients
                ? port(BrokerKeys.LISTEN_PORT.key() + " + 1", network.listenPort() + 1)
                : port(BrokerKeys.HA_PORT.key(), identity.haPort());
    }

    /** The port other members of the group connect to, where there is one. */
    public ListenPort groupPort() {
        return port(GroupSettings.STOCK_PEERS.key() + " of " + group.selfId(), group.port());
    }

    /**
     * Checks that the hosts that clients and replicas are told are known here. Blocks while they are looked up.
     *
     * @throws ConfigException when one is not
     */
    public void requireKnownHost() {
        if (!identity.host().isEmpty()) {
            AddressSettings.requireKnown(BrokerKeys.IP1.key(), identity.host());
        }
        if (!identity.haHost().isEmpty()) {
            AddressSettings.requireKnown(BrokerKeys.IP2.key(), identity.haHost());
        }
    }

    private ListenPort port(String key, int port) {
        return new ListenPort(
                BrokerKeys.BIND.key(), network.bindHost().isEmpty() ? EVERYWHERE : network.bindHost(), key, port);
    }

    private void requireDistinctPorts() {
        List<ListenPort> all = new ArrayList<>(ports());
        if (identity.haPort() != 0 && !group.on() && !all.contains(haPort())) {
            all.add(haPort());
        }
        ListenPort.requireDistinct(all);
    }

    private static List<IgnoredKey> ignored(ConfigReader reader) {
        return StockKeys.ignored(reader, rootFolder(reader.get(BrokerKeys.ROOT_DIR)));
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
        all.put(BrokerKeys.IP2.key(), found.haHost());
        all.put(BrokerKeys.LISTEN_PORT.key(), Integer.toString(found.port()));
        all.put(BrokerKeys.HA_PORT.key(), Integer.toString(found.haPort()));
        return new BrokerConfig(
                identity,
                network,
                replication,
                group,
                storage,
                sending,
                transactions,
                reading,
                registration,
                metrics,
                live,
                all,
                ignored);
    }

    private static void refuseWhatIsNotBuilt(ConfigReader reader) {
        for (Setting<Boolean> setting : BrokerKeys.NOT_BUILT) {
            if (reader.get(setting)) {
                throw notBuilt(setting.key(), "true", "false");
            }
        }
    }

    private static ConfigException notBuilt(String key, String value, String accepted) {
        return new ConfigException(key, value, accepted + " (this guarantee is not built yet)");
    }

    private static NetworkSettings network(ConfigReader reader) {
        int port = reader.get(BrokerKeys.LISTEN_PORT);
        if (port == 1 || port == FAST_PORT_BELOW) {
            throw new ConfigException(
                    BrokerKeys.LISTEN_PORT.key(),
                    Integer.toString(port),
                    "0 or 3 to " + AddressText.MAX_PORT + ", because listenPort - 2 is listened on too");
        }
        if (port == AddressText.MAX_PORT && reader.get(BrokerKeys.HA_PORT) == 0) {
            throw new ConfigException(
                    BrokerKeys.LISTEN_PORT.key(),
                    Integer.toString(port),
                    "0 or 3 to " + (AddressText.MAX_PORT - 1)
                            + ", because haListenPort is listenPort + 1 unless it is set");
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
                reader.get(BrokerKeys.TRACE_TOPIC) ? reader.get(BrokerKeys.TRACE_TOPIC_NAME) : "",
                reader.get(BrokerKeys.DELAY_LEVELS),
                reader.get(BrokerKeys.MAX_DELAY),
                reader.get(BrokerKeys.RECALL),
                reader.get(BrokerKeys.STORE_REPLIES));
    }

    private static TransactionSettings transactions(ConfigReader reader) {
        return new TransactionSettings(
                reader.get(BrokerKeys.REJECT_TRANSACTIONS),
                reader.get(BrokerKeys.TRANSACTION_TIMEOUT),
                reader.get(BrokerKeys.TRANSACTION_INTERVAL),
                reader.get(BrokerKeys.TRANSACTION_CHECKS),
                TimeUnit.HOURS.toMillis(reader.get(BrokerKeys.RETENTION)));
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
        return new RegistrationSettings(
                AddressSettings.list(reader.get(BrokerKeys.NAMESRV)),
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
                reader.get(BrokerKeys.PROPERTY_FILTER),
                reader.get(BrokerKeys.NOTIFY_GROUPS),
                reader.get(BrokerKeys.ACCEPT_FROM));
    }
}
