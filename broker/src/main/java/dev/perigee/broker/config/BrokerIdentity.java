package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * Who this broker is towards clients and NameServers.
 *
 * @param cluster the cluster it belongs to
 * @param name the name shared by a master and its slaves
 * @param id 0 for a master
 * @param host the address clients are told, without port
 * @param haHost the address replicas are told, without port
 * @param port the port clients are told
 * @param haPort the replication port that is announced
 */
@Immutable
public record BrokerIdentity(String cluster, String name, long id, String host, String haHost, int port, int haPort) {
    /** Of a broker that clients and replicas reach by one address. */
    public BrokerIdentity(String cluster, String name, long id, String host, int port, int haPort) {
        this(cluster, name, id, host, host, port, haPort);
    }

    /** {@code host:port} as clients are told. */
    public String address() {
        return host + ":" + port;
    }

    /** {@code host:port} of replication. */
    public String haAddress() {
        return haHost + ":" + haPort;
    }

    /**
     * The same broker where it really is.
     *
     * @param foundHost the address clients are told; replicas too, where they have none of their own
     * @param boundPort of clients
     * @param boundHaPort of replicas; 0 = the one after that of clients
     */
    public BrokerIdentity at(String foundHost, int boundPort, int boundHaPort) {
        return new BrokerIdentity(
                cluster,
                name,
                id,
                foundHost,
                haHost.isEmpty() ? foundHost : haHost,
                boundPort,
                boundHaPort == 0 ? boundPort + 1 : boundHaPort);
    }
}
