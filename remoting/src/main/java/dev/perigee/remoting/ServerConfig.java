package dev.perigee.remoting;

import dev.perigee.loop.Immutable;
import dev.perigee.remoting.transport.TlsConfig;
import java.util.List;

/**
 * Settings of a server.
 *
 * @param host address to listen on; {@code 0.0.0.0} for all
 * @param ports ports to listen on, all with the same handlers; 0 takes a free one
 * @param tls encryption
 * @param maxConnections connections open at once; a further one is closed when it is accepted
 * @param limits limits of each connection
 */
@Immutable
public record ServerConfig(
        String host, List<Integer> ports, TlsConfig tls, int maxConnections, ConnectionLimits limits) {
    /** Connections open at once unless set otherwise. */
    public static final int DEFAULT_MAX_CONNECTIONS = 65_536;

    public ServerConfig {
        ports = List.copyOf(ports);
        if (ports.isEmpty()) {
            throw new IllegalArgumentException("a server needs a port to listen on");
        }
        if (maxConnections < 1) {
            throw new IllegalArgumentException("maxConnections=" + maxConnections + ", wanted at least 1");
        }
        if (tls.isOn() && tls.identity() == TlsConfig.Identity.NONE) {
            throw new IllegalArgumentException("TLS mode " + tls.mode() + " needs a certificate and its key");
        }
    }

    /** Defaults on these ports, without TLS. */
    public static ServerConfig of(String host, Integer... ports) {
        return new ServerConfig(host, List.of(ports), TlsConfig.OFF, DEFAULT_MAX_CONNECTIONS, ConnectionLimits.DEFAULT);
    }

    /**
     * The same with this encryption.
     *
     * @throws IllegalArgumentException when it is on and names no certificate, not even a throw-away one
     */
    public ServerConfig withTls(TlsConfig tls) {
        return new ServerConfig(host, ports, tls, maxConnections, limits);
    }

    /**
     * The same with this many connections open at once.
     *
     * @throws IllegalArgumentException when it is below 1
     */
    public ServerConfig withMaxConnections(int maxConnections) {
        return new ServerConfig(host, ports, tls, maxConnections, limits);
    }

    /** The same with these limits of each connection. */
    public ServerConfig withLimits(ConnectionLimits limits) {
        return new ServerConfig(host, ports, tls, maxConnections, limits);
    }
}
