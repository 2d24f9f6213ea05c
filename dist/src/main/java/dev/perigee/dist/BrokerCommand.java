package dev.perigee.dist;

import ch.qos.logback.classic.Level;
import dev.perigee.broker.Broker;
import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerKeys;
import dev.perigee.broker.config.IgnoredKey;
import dev.perigee.cli.session.CommandException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A broker alone. */
@Command(name = "broker", description = "Start a broker alone. Ctrl-C stops it.")
final class BrokerCommand implements Callable<Integer> {
    private static final String NAME_SERVERS = "namesrvAddr";
    private static final String ACCEPT_LOSS = "haAcceptLoss";

    /** A member hears from its leader a moment after its start; so much later it says that it is ready without one. */
    private static final long LEADER_LIMIT_MS = 2_000;

    private final Lifecycle lifecycle;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Settings, key=value lines with RocketMQ's keys.")
    private @Nullable Path config;

    @Option(
            names = {"-n", "--namesrv"},
            paramLabel = "HOST:PORT[;…]",
            description = "Name servers to register with; default: namesrvAddr, else NAMESRV_ADDR.")
    private @Nullable String nameServers;

    @Option(
            names = "--set",
            paramLabel = "KEY=VALUE",
            description = "One setting, stronger than the file; may be repeated.")
    private Map<String, String> settings = new LinkedHashMap<>();

    @Option(
            names = "--accept-loss",
            description =
                    "Of a master, for this start: do not wait for the replicas that its log names; what only replicas have is lost.")
    private boolean acceptLoss;

    @Option(
            names = {"-p", "--print"},
            description = "Print the settings and end.")
    private boolean print;

    @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
    BrokerCommand(Lifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public Integer call() throws CommandException {
        BrokerConfig broker = BrokerConfig.read(values());
        ServerStart start = new ServerStart(spec, lifecycle);
        start.warn(broker.ignored().stream().map(IgnoredKey::line).toList());
        start.warn(broker.group().warning().stream().toList());
        if (print) {
            return start.print(broker.texts());
        }
        broker.requireKnownHost();
        Servers.requireTlsFiles(broker.network().tls(), broker.network().clientTls());
        Servers.requireFree("the broker", broker.ports());
        LogSetup.server(Path.of(broker.storage().rootDir()).resolve("logs"), Level.INFO);
        Broker server = Servers.broker(broker, lifecycle, start, 1);
        start.warn(Servers.found(server.recovery()));
        Servers.prepareTls(broker.network().tls().mode(), server.prepareTls());
        Optional<Broker> unused = // there may be no leader
                Servers.await(() -> Optional.of(server).filter(member -> !member.lacksLeader()), LEADER_LIMIT_MS);
        String place = server.place().map(text -> "; " + text).orElse("");
        return start.serve(
                "broker " + broker.identity().name() + " ready on " + server.address() + place, server::close);
    }

    private Properties values() throws CommandException {
        Properties values = ConfigFile.withProcessTls(ConfigFile.read(config), BrokerKeys.all());
        String fromEnvironment = System.getenv("NAMESRV_ADDR");
        if (fromEnvironment != null) {
            values.putIfAbsent(NAME_SERVERS, fromEnvironment);
        }
        values.putAll(settings);
        if (acceptLoss) {
            values.setProperty(ACCEPT_LOSS, "true");
        }
        if (nameServers != null) {
            values.setProperty(NAME_SERVERS, nameServers);
        }
        return values;
    }
}
