package dev.perigee.dist;

import ch.qos.logback.classic.Level;
import dev.perigee.broker.Broker;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerKeys;
import dev.perigee.broker.config.IgnoredKey;
import dev.perigee.cli.Version;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.loop.Opened;
import dev.perigee.loop.config.Setting;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.remoting.address.AddressSettings;
import dev.perigee.remoting.address.AddressText;
import dev.perigee.remoting.address.ListenPort;
import dev.perigee.remoting.metrics.MetricsSettings;
import dev.perigee.remoting.tls.TlsKeys;
import dev.perigee.remoting.transport.TlsMode;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Everything in one process, ready to use. */
@Command(
        name = "up",
        description = "Start a name server and a broker in this process. Needs no configuration; Ctrl-C stops it.")
final class UpCommand implements Callable<Integer> {
    private static final String TLS_MODE = "tls.server.mode";
    private static final String ENFORCING = "enforcing";
    private static final String METRICS_PORT = "metricsPromExporterPort";
    private static final String BROKER_FOLDER = "broker";
    private static final String EVERYWHERE = "0.0.0.0";
    private static final long REGISTRATION_LIMIT_MS = 10_000;
    private static final Setting<String> HOST = AddressSettings.host("--host", "");
    /** Between the ports of two brokers of a group; the port of the group is one above that of clients. */
    private static final int PORT_STEP = 10;

    private static final int MOST_REPLICAS = 7;
    private static final long ELECTION_LIMIT_MS = 60_000;

    private final Lifecycle lifecycle;

    @Spec
    private CommandSpec spec;

    @Option(
            names = "--data",
            defaultValue = "data",
            description = "Folder of everything kept; default ./${DEFAULT-VALUE}.")
    private Path data = Path.of("data");

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            description = "Address to listen on and to tell clients; default ${DEFAULT-VALUE}.")
    private String host = "";

    @Option(
            names = "--namesrv-port",
            converter = WholeNumber.Port.class,
            defaultValue = "9876",
            description = "Default ${DEFAULT-VALUE}; 0 takes a free one.")
    private int nameServerPort;

    @Option(
            names = "--broker-port",
            converter = WholeNumber.Port.class,
            defaultValue = "10911",
            description = "Default ${DEFAULT-VALUE}; 0 takes a free one.")
    private int brokerPort;

    @Option(
            names = "--replicas",
            converter = WholeNumber.Count.class,
            paramLabel = "N",
            defaultValue = "1",
            description = "With more than one: so many brokers that elect their master, to try it out; each in a folder"
                    + " of its own, on ports 10 apart. Default ${DEFAULT-VALUE}.")
    private int replicas;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Broker settings, key=value lines. Addresses are chosen by --host, not by the file.")
    private @Nullable Path config;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "One broker setting, for instance flushDiskType=ASYNC_FLUSH; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
    UpCommand(Lifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public Integer call() throws CommandException {
        ServerStart start = new ServerStart(spec, lifecycle);
        requireUnusedFolder();
        Properties file = ConfigFile.withProcessTls(ConfigFile.read(config), BrokerKeys.all());
        NameServerConfig nameServerConfig = nameServerConfig(file);
        check(file, nameServerConfig);
        start.warn(otherFolders());
        LogSetup.server(data.resolve("logs"), Level.WARN);
        NameServer nameServer;
        List<Broker> brokers = new ArrayList<>();
        String ready;
        try (Opened opened = new Opened()) {
            nameServer = opened.with(Servers.nameServer(nameServerConfig, 1 + replicas));
            if (nameServerConfig.tls().mode() == TlsMode.ENFORCING) {
                CompletableFuture<?> unused = nameServer.prepareTls(); // the broker begins meanwhile
            }
            BrokerConfig first = brokerConfig(brokerSettings(file, nameServer.port(), 0), 0);
            for (int i = 0; i < replicas; i++) {
                UpSettings chosen = brokerSettings(file, nameServer.port(), i);
                BrokerConfig brokerConfig = brokerConfig(chosen, i);
                if (i == 0) {
                    start.warn(chosen.warnings());
                    start.warn(brokerConfig.ignored().stream()
                            .map(IgnoredKey::line)
                            .toList());
                    start.warn(brokerConfig.group().warning().stream().toList());
                }
                Broker broker = opened.with(Servers.broker(brokerConfig, lifecycle, start, 1 + replicas));
                start.warn(Servers.found(broker.recovery()));
                brokers.add(broker);
            }
            awaitRegistration(nameServer, first);
            Broker master = replicas == 1 ? brokers.get(0) : awaitMaster(brokers);
            Servers.prepareTls(first.network().tls().mode(), nameServer.prepareTls(), master.prepareTls());
            ready = ready(nameServer, master, first);
            opened.keep();
        }
        return start.serve(ready, () -> {
            brokers.forEach(Broker::handOverNothing); // they all stop
            for (Broker broker : brokers) {
                broker.close();
            }
            nameServer.close();
            start.say("stopped");
        });
    }

    /** A second one in the same folder would find its ports taken, too; the folder says more. */
    private void requireUnusedFolder() throws CommandException {
        Optional<String> holder =
                FolderUse.holder(data.resolve(BROKER_FOLDER)).or(() -> FolderUse.holder(nameServerFolder()));
        if (holder.isPresent()) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "up does not start: the folder " + data + " is in use by " + holder.get()
                            + ", most likely another './perigee up': stop that one, or give this one a folder and ports of its"
                            + " own: --data FOLDER --namesrv-port 0 --broker-port 0");
        }
    }

    /** What a start with other replicas left is not served by this one. */
    private List<String> otherFolders() {
        List<String> others = replicas > 1
                ? List.of(BROKER_FOLDER)
                : IntStream.range(0, MOST_REPLICAS)
                        .mapToObj(UpCommand::folderOfMember)
                        .toList();
        List<String> there = others.stream()
                .map(data::resolve)
                .filter(Files::isDirectory)
                .map(Path::toString)
                .toList();
        if (there.isEmpty()) {
            return List.of();
        }
        boolean isOne = there.size() == 1;
        return List.of(
                (isOne ? "folder " : "folders ") + String.join(", ", there) + (isOne ? " is" : " are") + " of a start "
                        + (replicas > 1 ? "without" : "with") + " --replicas: what " + (isOne ? "it has" : "they have")
                        + " is not served now");
    }

    private static String folderOfMember(int index) {
        return BROKER_FOLDER + "-n" + index;
    }

    private Path nameServerFolder() {
        return data.resolve("namesrv");
    }

    /** Whatever is wrong with settings, addresses and ports is said before anything is opened. */
    private void check(Properties file, NameServerConfig nameServerConfig) throws CommandException {
        HOST.parse(host);
        int port = nameServerPort == 0 ? NameServerConfig.DEFAULT_PORT : nameServerPort; // not known yet
        requireReplicas();
        List<ListenPort> ports = new ArrayList<>();
        ports.add(new ListenPort(HOST.key(), host, "--namesrv-port", nameServerPort));
        for (ListenPort metrics : nameServerConfig.metrics().ports()) {
            ports.add(new ListenPort(metrics.hostKey(), metrics.host(), METRICS_PORT + " + 1", metrics.port()));
        }
        for (int i = 0; i < replicas; i++) {
            BrokerConfig broker = brokerConfig(brokerSettings(file, port, i), i);
            broker.requireKnownHost();
            Servers.requireTlsFiles(broker.network().tls(), broker.network().clientTls());
            ports.addAll(broker.ports());
        }
        Servers.requireFree("up", ports);
    }

    private void requireReplicas() throws CommandException {
        if (replicas > MOST_REPLICAS || (replicas > 1 && brokerPort == 0)) {
            throw new CommandException(
                    ExitCode.USAGE,
                    replicas > MOST_REPLICAS
                            ? "--replicas=" + replicas + ", wanted 1 to " + MOST_REPLICAS
                            : "--replicas=" + replicas + " with --broker-port=0, wanted a port: each broker is told"
                                    + " where the others are");
        }
    }

    /** Both servers are encrypted alike, and both serve metrics or neither. */
    private NameServerConfig nameServerConfig(Properties file) {
        Properties tls = new Properties();
        for (Setting<?> setting : TlsKeys.SERVER) {
            tls.setProperty(setting.key(), chosen(file, setting.key()));
        }
        tls.setProperty(MetricsSettings.EXPORTER.key(), chosen(file, MetricsSettings.EXPORTER.key()));
        tls.setProperty(METRICS_PORT, portBeside(chosen(file, METRICS_PORT)));
        return NameServerConfig.read(tls)
                .config()
                .listenOn(host, nameServerPort)
                .keepKvIn(nameServerFolder().resolve("kvConfig.json"));
    }

    private String chosen(Properties file, String key) {
        return settings.getOrDefault(key, file.getProperty(key, ""));
    }

    /** The name server's port for metrics is the next one; its default, where the broker's is none or no number. */
    private static String portBeside(String brokerPort) {
        String text = brokerPort.strip();
        if (!text.matches("[0-9]{1,5}")) {
            return "";
        }
        int port = Integer.parseInt(text);
        return port >= AddressText.MAX_PORT ? "" : Integer.toString(port == 0 ? 0 : port + 1);
    }

    /** @param index which of the brokers, from 0 on */
    private UpSettings brokerSettings(Properties file, int nameServerPortInUse, int index) {
        UpSettings chosen = new UpSettings(file);
        boolean everywhere = host.equals(EVERYWHERE);
        chosen.decide("bindAddress", host, "use --host");
        if (!everywhere) {
            chosen.decide("brokerIP1", host, "use --host");
        }
        chosen.decide(
                "namesrvAddr",
                (everywhere ? "127.0.0.1" : host) + ":" + nameServerPortInUse,
                "its broker registers with its own name server; use the commands namesrv and broker for others");
        boolean group = replicas > 1;
        chosen.option(
                "listenPort",
                Integer.toString(brokerPort + index * PORT_STEP),
                "--broker-port",
                group || isGiven("--broker-port"));
        Path folder = data.resolve(group ? folderOfMember(index) : BROKER_FOLDER);
        chosen.option("storePathRootDir", folder.toString(), "--data", group || isGiven("--data"));
        if (group) {
            chosen.decide("raftPeers", peers(everywhere ? "127.0.0.1" : host), "use --replicas");
            chosen.decide("raftSelfId", "n" + index, "use --replicas");
        }
        return chosen;
    }

    private String peers(String listening) {
        return IntStream.range(0, replicas)
                .mapToObj(i -> "n" + i + "-" + listening + ":" + (brokerPort + i * PORT_STEP + 1))
                .collect(Collectors.joining(";"));
    }

    /** @param index which of the brokers, from 0 on: each serves metrics on a port of its own */
    private BrokerConfig brokerConfig(UpSettings chosen, int index) {
        Properties values = chosen.values();
        values.putAll(settings);
        if (values.getProperty(TLS_MODE, "").strip().equalsIgnoreCase(ENFORCING)) {
            values.putIfAbsent("tls.enable", "true"); // its name server insists on it
        }
        BrokerConfig read = BrokerConfig.read(values);
        int metricsPort = read.metrics().port();
        if (index == 0 || metricsPort == 0) {
            return read;
        }
        values.setProperty(METRICS_PORT, Integer.toString(metricsPort + index * PORT_STEP));
        return BrokerConfig.read(values);
    }

    private boolean isGiven(String option) {
        return spec.commandLine().getParseResult().hasMatchedOption(option);
    }

    /** The next command of the user must find the broker. */
    private static void awaitRegistration(NameServer nameServer, BrokerConfig config) throws CommandException {
        if (Servers.await(() -> Optional.of(config.identity().name()).filter(nameServer::knows), REGISTRATION_LIMIT_MS)
                .isEmpty()) {
            throw new CommandException(
                    ExitCode.FAILED, "the broker did not register within " + REGISTRATION_LIMIT_MS + " ms");
        }
    }

    /** The next command of the user must find one that takes messages. */
    private static Broker awaitMaster(List<Broker> brokers) throws CommandException {
        return Servers.await(() -> brokers.stream().filter(Broker::isMaster).findFirst(), ELECTION_LIMIT_MS)
                .orElseThrow(() -> new CommandException(
                        ExitCode.FAILED, "no broker was elected within " + ELECTION_LIMIT_MS + " ms"));
    }

    private String ready(NameServer nameServer, Broker broker, BrokerConfig brokerConfig) {
        String nameServerAddress = (host.equals(EVERYWHERE) ? "127.0.0.1" : host) + ":" + nameServer.port();
        String names = nameServer.port() == NameServerConfig.DEFAULT_PORT && nameServerAddress.startsWith("127.0.0.1:")
                ? ""
                : " -n " + nameServerAddress;
        String options = brokerConfig.network().tls().mode() == TlsMode.ENFORCING ? names + " --tls" : names;
        Path messages = Path.of(brokerConfig.storage().rootDir());
        String elsewhere = messages.equals(data.resolve(BROKER_FOLDER))
                ? ""
                : ", messages in " + messages + (replicas == 1 ? "" : " to " + folderOfMember(replicas - 1));
        return String.join(
                "\n",
                "",
                "Perigee " + Version.number() + " is ready" + sinceStart() + ". Ctrl-C stops it.",
                "",
                "  name server  " + nameServerAddress,
                "  broker       " + broker.address() + "  ("
                        + brokerConfig.identity().name() + " in "
                        + brokerConfig.identity().cluster() + ", "
                        + brokerConfig.storage().flush() + ")",
                "  data         " + data + elsewhere,
                "  log          " + LogSetup.logFile(data.resolve("logs"))
                        + metrics("\n  metrics      ", broker.metricsPort(), "of the broker")
                        + metrics("\n               ", nameServer.metricsPort(), "of the name server"),
                "",
                "Try in another terminal:",
                "  ./perigee send demo \"hello\"" + options,
                "  ./perigee consume demo" + options,
                "  ./perigee topic list" + options,
                "");
    }

    private static String metrics(String label, Optional<Integer> port, String whose) {
        return port.map(number -> label + "http://127.0.0.1:" + number + "/metrics  (" + whose + ")")
                .orElse("");
    }

    private static String sinceStart() {
        double uptimeMs = ManagementFactory.getRuntimeMXBean().getUptime();
        return String.format(Locale.ROOT, " after %.1f s", uptimeMs / 1_000);
    }
}
