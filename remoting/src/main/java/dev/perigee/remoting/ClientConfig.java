package dev.perigee.remoting;

import dev.perigee.loop.Immutable;
import dev.perigee.remoting.transport.TlsConfig;

/**
 * Settings of a client.
 *
 * @param connectTimeoutMs longest time for opening a connection
 * @param tls encryption
 * @param limits limits of each connection
 */
@Immutable
public record ClientConfig(int connectTimeoutMs, TlsConfig tls, ConnectionLimits limits) {
    /** 3 s to connect, no TLS. */
    public static final ClientConfig DEFAULT = new ClientConfig(3_000, TlsConfig.OFF, ConnectionLimits.DEFAULT);

    public ClientConfig {
        if (connectTimeoutMs <= 0) {
            throw new IllegalArgumentException("connectTimeoutMs=" + connectTimeoutMs + ", wanted more than 0");
        }
    }

    public ClientConfig withTls(TlsConfig tls) {
        return new ClientConfig(connectTimeoutMs, tls, limits);
    }

    public ClientConfig withLimits(ConnectionLimits limits) {
        return new ClientConfig(connectTimeoutMs, tls, limits);
    }

    public ClientConfig withConnectTimeoutMs(int connectTimeoutMs) {
        return new ClientConfig(connectTimeoutMs, tls, limits);
    }
}
