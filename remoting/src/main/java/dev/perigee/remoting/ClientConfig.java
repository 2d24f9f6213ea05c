package dev.perigee.remoting;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.remoting.transport.TlsConfig;

/**
 * Settings of a client.
 *
 * @param connectTimeoutMs longest time for opening a connection
 * @param tls encryption
 * @param serialization how the headers of requests are written; JSON is what every peer takes, the binary form is cheaper
 *     but cannot carry an empty text
 * @param limits limits of each connection
 */
@Immutable
public record ClientConfig(
        int connectTimeoutMs, TlsConfig tls, HeaderSerialization serialization, ConnectionLimits limits) {
    /** 3 s to connect, no TLS. */
    public static final ClientConfig DEFAULT =
            new ClientConfig(3_000, TlsConfig.OFF, HeaderSerialization.JSON, ConnectionLimits.DEFAULT);

    public ClientConfig {
        if (connectTimeoutMs <= 0) {
            throw new IllegalArgumentException("connectTimeoutMs=" + connectTimeoutMs + ", wanted more than 0");
        }
    }

    /** The same with this encryption. */
    public ClientConfig withTls(TlsConfig tls) {
        return new ClientConfig(connectTimeoutMs, tls, serialization, limits);
    }

    /** The same with these limits of each connection. */
    public ClientConfig withLimits(ConnectionLimits limits) {
        return new ClientConfig(connectTimeoutMs, tls, serialization, limits);
    }

    /**
     * The same with this longest time for opening a connection.
     *
     * @throws IllegalArgumentException when it is not above 0
     */
    public ClientConfig withConnectTimeoutMs(int connectTimeoutMs) {
        return new ClientConfig(connectTimeoutMs, tls, serialization, limits);
    }

    /** The same with the headers of requests written so. */
    public ClientConfig withSerialization(HeaderSerialization serialization) {
        return new ClientConfig(connectTimeoutMs, tls, serialization, limits);
    }
}
