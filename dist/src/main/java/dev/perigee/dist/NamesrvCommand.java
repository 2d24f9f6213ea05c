package dev.perigee.dist;

import ch.qos.logback.classic.Level;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.session.CommandException;
import dev.perigee.namesrv.NameServer;
import dev.perigee.namesrv.NameServerConfig;
import dev.perigee.remoting.transport.TlsConfig;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A name server alone. */
@Command(name = "namesrv", description = "Start a name server alone. Ctrl-C stops it.")
final class NamesrvCommand implements Callable<Integer> {
    private final Lifecycle lifecycle;

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-c", "--config"},
            paramLabel = "FILE",
            description = "Settings, key=value lines with RocketMQ's keys.")
    private @Nullable Path config;

    @Option(names = "--host", description = "Address to listen on; default: bindAddress, else all.")
    private @Nullable String host;

    @Option(names = "--port", converter = WholeNumber.Port.class, description = "Default: listenPort, else 9876.")
    private @Nullable Integer port;

    @Option(
            names = "--logs",
            defaultValue = "data/logs",
            description = "Folder of log files; default ${DEFAULT-VALUE}.")
    private Path logs = Path.of("data/logs");

    @Option(
            names = {"-p", "--print"},
            description = "Print the settings and end.")
    private boolean print;

    @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
    NamesrvCommand(Lifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    @Override
    public Integer call() throws CommandException {
        Properties values = ConfigFile.withProcessTls(ConfigFile.read(config), NameServerConfig.SETTINGS);
        if (host != null) {
            values.setProperty("bindAddress", host);
        }
        if (port != null) {
            values.setProperty("listenPort", Integer.toString(port));
        }
        NameServerConfig.Loaded loaded = NameServerConfig.read(values);
        ServerStart start = new ServerStart(spec, lifecycle);
        start.warn(loaded.unknownKeys().stream()
                .map(key -> "setting " + key + " is unknown and ignored")
                .toList());
        start.warn(loaded.withoutEffect().stream()
                .map(setting -> "setting " + setting.key() + " is known. " + setting.doc())
                .toList());
        if (print) {
            return start.print(loaded.config().toProperties());
        }
        TlsConfig tls = loaded.config().tls();
        Servers.requireTlsFiles(tls, TlsConfig.OFF);
        Servers.requireFree("the name server", loaded.config().ports());
        LogSetup.server(logs, Level.INFO);
        NameServer server = Servers.nameServer(loaded.config(), 1);
        Servers.prepareTls(tls.mode(), server.prepareTls());
        return start.serve("name server ready on " + loaded.config().bindHost() + ":" + server.port(), server::close);
    }
}
