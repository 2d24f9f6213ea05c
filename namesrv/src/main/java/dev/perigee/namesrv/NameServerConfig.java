package dev.perigee.namesrv;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.InOrder;
import dev.perigee.loop.config.ConfigReader;
import dev.perigee.loop.config.Setting;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.address.ListenPort;
import dev.perigee.remoting.metrics.MetricsSettings;
import dev.perigee.remoting.tls.TlsKeys;
import dev.perigee.remoting.tls.TlsSettings;
import dev.perigee.remoting.transport.TlsConfig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * The settings of a name server, read once. Keys keep RocketMQ's spelling.
 *
 * @param bindHost the address to listen on; {@code 0.0.0.0} for all
 * @param listenPort the port; 0 lets the system choose
 * @param kvConfigPath the file that keeps the KV configuration
 * @param scanIntervalMs how often silent brokers are looked for
 * @param warmUpMs how long after the start routes are refused, 0 for not at all
 * @param unregisterQueueLimit how many registration changes may wait; one more is refused
 * @param switches what may change while the server runs
 * @param metrics the Prometheus endpoint
 * @param tls how the port is encrypted
 * @param tlsTexts the settings of encryption as they were written, without passwords
 */
@Immutable
public record NameServerConfig(
        String bindHost,
        int listenPort,
        Path kvConfigPath,
        long scanIntervalMs,
        long warmUpMs,
        int unregisterQueueLimit,
        Switches switches,
        MetricsSettings metrics,
        TlsConfig tls,
        Map<String, String> tlsTexts) {
    /** The port of a name server when nothing else is said. */
    public static final int DEFAULT_PORT = 9876;

    /** A broker that is silent for this long is forgotten, unless its registration says otherwise. */
    public static final long BROKER_TIMEOUT_MS = 120_000;

    static final Setting<String> BIND_ADDRESS =
            AddressSettings.host("bindAddress", "0.0.0.0").doc("The address to listen on.");
    static final Setting<Integer> LISTEN_PORT =
            AddressSettings.port("listenPort", DEFAULT_PORT).doc("The port; 0 lets the system choose.");
    static final Setting<String> KV_CONFIG_PATH = AddressSettings.path("kvConfigPath", "data/namesrv/kvConfig.json")
            .doc("The file that keeps the KV configuration.");
    static final Setting<Long> SCAN_INTERVAL = Setting.ofLong("scanNotActiveBrokerInterval", 5_000, 100, 120_000)
            .unit("ms")
            .doc("How often silent brokers are looked for.");
    static final Setting<Boolean> NEED_WAIT = Setting.ofBoolean("needWaitForService", false)
            .doc("Whether routes are refused for waitSecondsForService after the start.");
    static final Setting<Integer> WAIT_SECONDS = Setting.ofInt("waitSecondsForService", 45, 0, 3_600)
            .unit("s")
            .doc("How long routes are refused after the start.");
    static final Setting<Integer> UNREGISTER_QUEUE = Setting.ofInt("unRegisterBrokerQueueCapacity", 3_000, 1, 100_000)
            .doc("How many changes of routes may wait their turn; one more is refused.");
    static final Setting<String> ROCKETMQ_HOME =
            AddressSettings.path("rocketmqHome", "").withoutEffect("there is no home folder.");
    static final Setting<String> CONFIG_STORE_PATH =
            AddressSettings.path("configStorePath", "").withoutEffect("settings are not written to a file.");

    static final Setting<Integer> METRICS_PORT = MetricsSettings.portSetting(
            5558,
            "Port of /metrics; one above that of a broker, so that both fit on one machine. 0 lets the system choose.");

    /** Every setting of a name server. */
    public static final List<Setting<?>> SETTINGS = withTlsKeys(
            BIND_ADDRESS,
            LISTEN_PORT,
            KV_CONFIG_PATH,
            SCAN_INTERVAL,
            NEED_WAIT,
            WAIT_SECONDS,
            UNREGISTER_QUEUE,
            ROCKETMQ_HOME,
            CONFIG_STORE_PATH,
            Switches.ORDER_MESSAGE,
            Switches.RETURN_ORDER,
            Switches.ALL_TOPIC_LIST,
            Switches.DELETE_WITH_REGISTRATION,
            Switches.ACTING_MASTER,
            Switches.NOTIFY_MIN_ID,
            MetricsSettings.EXPORTER,
            METRICS_PORT);

    public NameServerConfig {
        tlsTexts = InOrder.copyOf(tlsTexts);
        if (scanIntervalMs <= 0 || warmUpMs < 0 || unregisterQueueLimit <= 0) {
            throw new IllegalArgumentException("scanIntervalMs=" + scanIntervalMs + " warmUpMs=" + warmUpMs
                    + " unregisterQueueLimit=" + unregisterQueueLimit);
        }
    }

    /**
     * What may change while the server runs (request 318).
     *
     * @param orderMessageEnable whether routes carry the order configuration of their topic
     * @param returnOrderTopicConfigToBroker whether a registering broker is told the ordered topics
     * @param enableAllTopicList whether request 206 is answered
     * @param deleteTopicWithBrokerRegistration whether topics that a registration does not list are dropped
     * @param supportActingMaster whether a slave is shown as the master that its group lost
     * @param notifyMinBrokerIdChanged whether brokers are told that the smallest id of their group changed
     */
    @Immutable
    public record Switches(
            boolean orderMessageEnable,
            boolean returnOrderTopicConfigToBroker,
            boolean enableAllTopicList,
            boolean deleteTopicWithBrokerRegistration,
            boolean supportActingMaster,
            boolean notifyMinBrokerIdChanged) {
        static final Setting<Boolean> ORDER_MESSAGE = Setting.ofBoolean("orderMessageEnable", false)
                .doc("Whether routes carry the order configuration of their topic.");
        static final Setting<Boolean> RETURN_ORDER = Setting.ofBoolean("returnOrderTopicConfigToBroker", true)
                .doc("Whether a registering broker is told the ordered topics.");
        static final Setting<Boolean> ALL_TOPIC_LIST =
                Setting.ofBoolean("enableAllTopicList", true).doc("Whether the list of all topics is given out.");
        static final Setting<Boolean> DELETE_WITH_REGISTRATION = Setting.ofBoolean(
                        "deleteTopicWithBrokerRegistration", false)
                .doc("Whether topics missing in any registration of a broker are dropped. Perigee brokers mark complete"
                        + " tables and need no such switch.");
        static final Setting<Boolean> ACTING_MASTER = Setting.ofBoolean("supportActingMaster", false)
                .doc("Whether routes show the smallest slave as master of a group that lost its own, for reading. Its"
                        + " brokers must want it (enableSlaveActingMaster).");
        static final Setting<Boolean> NOTIFY_MIN_ID = Setting.ofBoolean("notifyMinBrokerIdChanged", false)
                .doc("Whether brokers are told when the smallest broker id of their group changes.");
        /** The keys of this record. */
        static final List<Setting<Boolean>> ALL = List.of(
                ORDER_MESSAGE, RETURN_ORDER, ALL_TOPIC_LIST, DELETE_WITH_REGISTRATION, ACTING_MASTER, NOTIFY_MIN_ID);

        static Switches read(ConfigReader reader) {
            return new Switches(
                    reader.get(ORDER_MESSAGE),
                    reader.get(RETURN_ORDER),
                    reader.get(ALL_TOPIC_LIST),
                    reader.get(DELETE_WITH_REGISTRATION),
                    reader.get(ACTING_MASTER),
                    reader.get(NOTIFY_MIN_ID));
        }

        Properties toProperties() {
            Properties values = new Properties();
            values.setProperty(ORDER_MESSAGE.key(), Boolean.toString(orderMessageEnable));
            values.setProperty(RETURN_ORDER.key(), Boolean.toString(returnOrderTopicConfigToBroker));
            values.setProperty(ALL_TOPIC_LIST.key(), Boolean.toString(enableAllTopicList));
            values.setProperty(DELETE_WITH_REGISTRATION.key(), Boolean.toString(deleteTopicWithBrokerRegistration));
            values.setProperty(ACTING_MASTER.key(), Boolean.toString(supportActingMaster));
            values.setProperty(NOTIFY_MIN_ID.key(), Boolean.toString(notifyMinBrokerIdChanged));
            return values;
        }
    }

    /**
     * A configuration and the keys of the text that mean nothing here.
     *
     * @param config the settings
     * @param unknownKeys keys to be named in a warning
     * @param withoutEffect settings of the text that are known and change nothing, to be named in a warning
     */
    public record Loaded(NameServerConfig config, List<String> unknownKeys, List<Setting<?>> withoutEffect) {
        public Loaded {
            unknownKeys = List.copyOf(unknownKeys);
            withoutEffect = List.copyOf(withoutEffect);
        }
    }

    /** The defaults. */
    public static NameServerConfig defaults() {
        return read(new Properties()).config();
    }

    /**
     * Reads settings; absent keys take their default.
     *
     * @throws dev.perigee.loop.config.ConfigException when a value is not accepted
     */
    public static Loaded read(Properties text) {
        ConfigReader reader = new ConfigReader(text, SETTINGS);
        boolean wait = reader.get(NEED_WAIT);
        int waitSeconds = reader.get(WAIT_SECONDS);
        NameServerConfig config = new NameServerConfig(
                reader.get(BIND_ADDRESS),
                reader.get(LISTEN_PORT),
                Path.of(reader.get(KV_CONFIG_PATH)),
                reader.get(SCAN_INTERVAL),
                wait ? waitSeconds * 1_000L : 0,
                reader.get(UNREGISTER_QUEUE),
                Switches.read(reader),
                MetricsSettings.read(reader, METRICS_PORT),
                TlsSettings.server(reader),
                tlsTexts(reader));
        ListenPort.requireDistinct(config.ports());
        return new Loaded(config, reader.unknownKeys(), reader.withoutEffect());
    }

    /** Every port that is opened at the start; what the system chooses is 0. */
    public List<ListenPort> ports() {
        List<ListenPort> ports = new ArrayList<>();
        ports.add(new ListenPort(BIND_ADDRESS.key(), bindHost, LISTEN_PORT.key(), listenPort));
        ports.addAll(metrics.ports());
        return List.copyOf(ports);
    }

    /** Another place to listen. */
    public NameServerConfig listenOn(String host, int port) {
        return new NameServerConfig(
                host,
                port,
                kvConfigPath,
                scanIntervalMs,
                warmUpMs,
                unregisterQueueLimit,
                switches,
                metrics,
                tls,
                tlsTexts);
    }

    /** Another file for the KV configuration. */
    public NameServerConfig keepKvIn(Path file) {
        return new NameServerConfig(
                bindHost,
                listenPort,
                file,
                scanIntervalMs,
                warmUpMs,
                unregisterQueueLimit,
                switches,
                metrics,
                tls,
                tlsTexts);
    }

    /** The settings as they would stand in a file. */
    public Properties toProperties() {
        Properties values = switches.toProperties();
        values.setProperty(BIND_ADDRESS.key(), bindHost);
        values.setProperty(LISTEN_PORT.key(), Integer.toString(listenPort));
        values.setProperty(KV_CONFIG_PATH.key(), kvConfigPath.toString());
        values.setProperty(SCAN_INTERVAL.key(), Long.toString(scanIntervalMs));
        values.setProperty(NEED_WAIT.key(), Boolean.toString(warmUpMs > 0));
        values.setProperty(WAIT_SECONDS.key(), Long.toString(warmUpMs / 1_000));
        values.setProperty(UNREGISTER_QUEUE.key(), Integer.toString(unregisterQueueLimit));
        values.setProperty(MetricsSettings.EXPORTER.key(), metrics.exporter().name());
        values.setProperty(METRICS_PORT.key(), Integer.toString(metrics.port()));
        values.putAll(tlsTexts);
        return values;
    }

    private static Map<String, String> tlsTexts(ConfigReader reader) {
        Map<String, String> texts = new TreeMap<>();
        TlsKeys.SERVER.forEach(setting -> texts.put(setting.key(), String.valueOf(reader.get(setting))));
        TlsKeys.SECRETS.forEach(secret -> texts.remove(secret.key()));
        return texts;
    }

    private static List<Setting<?>> withTlsKeys(Setting<?>... settings) {
        List<Setting<?>> all = new ArrayList<>(List.of(settings));
        all.addAll(TlsKeys.SERVER);
        return List.copyOf(all);
    }
}
