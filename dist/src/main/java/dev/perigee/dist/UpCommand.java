package dev.perigee.dist;

import ch.qos.logback.classic.Level;
import dev.perigee.broker.Broker;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.cli.CommandException;
import dev.perigee.cli.ExitCode;
import dev.perigee.cli.Version;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
    private static final String EVERYWHERE = "0.0.0.0";
    private static final long REGISTRATION_LIMIT_MS = 10_000;
    private static final long REGISTRATION_LOOK_MS = 5;

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
            defaultValue = "9876",
            description = "Default ${DEFAULT-VALUE}; 0 takes a free one.")
    private int nameServerPort;

    @Option(
            names = "--broker-port",
            defaultValue = "10911",
            description = "Default ${DEFAULT-VALUE}; 0 takes a free one.")
    private int brokerPort;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Further broker settings, key=value lines.")
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
        Path logs = data.resolve("logs");
        LogSetup.server(logs, Level.WARN);
        NameServer nameServer = Servers.nameServer(NameServerConfig.defaults()
                .listenOn(host, nameServerPort)
                .keepKvIn(data.resolve("namesrv").resolve("kvConfig.json")));
        Broker broker;
        BrokerConfig brokerConfig;
        try {
            brokerConfig = brokerConfig(nameServer.port());
            broker = Servers.broker(brokerConfig, lifecycle);
        } catch (CommandException | RuntimeException e) {
            nameServer.close();
            throw e;
        }
        awaitRegistration(nameServer, brokerConfig);
        printReady(nameServer, broker, brokerConfig);
        lifecycle.serve(() -> {
            broker.close();
            nameServer.close();
            out().println("stopped");
            out().flush();
        });
        return ExitCode.OK;
    }

    private BrokerConfig brokerConfig(int nameServerPortInUse) throws CommandException {
        Properties values = ConfigFile.read(config);
        boolean everywhere = host.equals(EVERYWHERE);
        values.setProperty("bindAddress", host);
        values.setProperty("brokerIP1", everywhere ? "" : host);
        values.setProperty("listenPort", Integer.toString(brokerPort));
        values.setProperty("namesrvAddr", (everywhere ? "127.0.0.1" : host) + ":" + nameServerPortInUse);
        values.setProperty("storePathRootDir", data.resolve("broker").toString());
        values.putAll(settings);
        return BrokerConfig.read(values);
    }

    /** The next command of the user must find the broker. */
    private static void awaitRegistration(NameServer nameServer, BrokerConfig config) throws CommandException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(REGISTRATION_LIMIT_MS);
        while (!nameServer.knows(config.identity().name())) {
            if (System.nanoTime() > endNs) {
                throw new CommandException(
                        ExitCode.FAILED, "the broker did not register within " + REGISTRATION_LIMIT_MS + " ms");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REGISTRATION_LOOK_MS));
        }
    }

    private void printReady(NameServer nameServer, Broker broker, BrokerConfig brokerConfig) {
        String nameServerAddress = (host.equals(EVERYWHERE) ? "127.0.0.1" : host) + ":" + nameServer.port();
        String names = nameServer.port() == NameServerConfig.DEFAULT_PORT && nameServerAddress.startsWith("127.0.0.1:")
                ? ""
                : " -n " + nameServerAddress;
        PrintWriter out = out();
        out.println();
        out.println("Perigee " + Version.number() + " is ready" + sinceStart() + ". Ctrl-C stops it.");
        out.println();
        out.println("  name server  " + nameServerAddress);
        out.println("  broker       " + broker.address() + "  ("
                + brokerConfig.identity().name() + " in "
                + brokerConfig.identity().cluster() + ", "
                + brokerConfig.storage().flush() + ")");
        out.println("  data         " + data);
        out.println("  log          " + LogSetup.logFile(data.resolve("logs")));
        out.println();
        out.println("Try in another terminal:");
        out.println("  ./perigee send demo \"hello\"" + names);
        out.println("  ./perigee consume demo" + names);
        out.println("  ./perigee topic list" + names);
        out.println();
        out.flush();
    }

    private static String sinceStart() {
        double uptimeMs = ManagementFactory.getRuntimeMXBean().getUptime();
        return String.format(Locale.ROOT, " after %.1f s", uptimeMs / 1_000);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
