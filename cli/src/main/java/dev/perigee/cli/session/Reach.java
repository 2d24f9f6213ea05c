package dev.perigee.cli.session;

import dev.perigee.cli.option.Addresses;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.client.instance.ClientBuilder;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.tls.TlsFiles;
import dev.perigee.remoting.tls.TlsSettings;
import dev.perigee.remoting.transport.TlsConfig;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of commands that talk to servers. */
public final class Reach {
    private static final String ADDRESSES = "-n";

    @Option(
            names = {ADDRESSES, "--namesrv"},
            paramLabel = "HOST:PORT[;…]",
            converter = Addresses.class,
            defaultValue = "${env:NAMESRV_ADDR:-127.0.0.1:9876}",
            description = "Name servers; default: NAMESRV_ADDR, else 127.0.0.1:9876.")
    private String nameServers = "";

    @Option(
            names = "--timeout",
            paramLabel = "MS",
            converter = WholeNumber.TimeoutMs.class,
            defaultValue = "5000",
            description = "How long one request may take, in milliseconds; default ${DEFAULT-VALUE}.")
    private int timeoutMs;

    @Option(names = "--tls", description = "Encrypt, and take any certificate of the servers.")
    private boolean tls;

    @Option(
            names = "--tls-trust",
            paramLabel = "FILE",
            description = "Encrypt, and take only certificates of these PEM roots, host name included.")
    private @Nullable Path trusted;

    /** Called by picocli. */
    public Reach() {}

    /** How long one request may take. */
    public int timeoutMs() {
        return timeoutMs;
    }

    /** Tells a client where the servers are and how to talk to them. */
    public <B extends ClientBuilder<B>> B on(B builder) throws CommandException {
        builder.nameServers(nameServers);
        return tls || trusted != null ? builder.tls(encryption()) : builder;
    }

    private TlsConfig encryption() throws CommandException {
        try {
            Path roots = trusted;
            TlsConfig config =
                    roots == null ? TlsSettings.encryptingClientOfProcess() : TlsConfig.clientTrusting(roots);
            TlsFiles.read(config, TlsFiles.Side.CLIENT);
            return config;
        } catch (IOException | ConfigException e) {
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }
}
