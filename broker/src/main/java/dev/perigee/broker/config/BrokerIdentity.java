package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * Who this broker is towards clients and NameServers.
 *
 * @param cluster the cluster it belongs to
 * @param name the name shared by a master and its slaves
 * @param id 0 for a master
 * @param host the address clients are told, without port
 * @param port the port clients are told
 * @param haPort the replication port that is announced
 */
@Immutable
public record BrokerIdentity(String cluster, String name, long id, String host, int port, int haPort) {
    /** {@code host:port} as clients are told. */
    public String address() {
        return host + ":" + port;
    }

    /** {@code host:port} of replication. */
    public String haAddress() {
        return host + ":" + haPort;
    }

    /** The same broker on the port that was really bound. */
    public BrokerIdentity withPort(int boundPort) {
        return new BrokerIdentity(cluster, name, id, host, boundPort, haPort == 0 ? boundPort + 1 : haPort);
    }
}
