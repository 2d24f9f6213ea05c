package dev.perigee.broker;

import dev.perigee.broker.config.BrokerConfig;
import dev.perigee.broker.config.BrokerIdentity;
import dev.perigee.broker.start.DescriptorShare;
import dev.perigee.broker.start.HostAddress;
import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.ServerConfig;
import dev.perigee.remoting.address.FreePort;
import dev.perigee.remoting.address.ListenPort;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.tls.TlsFiles;
import dev.perigee.store.log.CommitLog;
import java.io.IOException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where a broker is reached, by its settings and the machine. */
@OwnedBy("starting thread")
final class BrokerPorts {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerPorts.class);

    private final BrokerConfig config;
    private final BrokerSeams seams;

    BrokerPorts(BrokerConfig config, BrokerSeams seams) {
        this.config = config;
        this.seams = seams;
    }

    /** What is wrong with them is said before the store is touched, and not at each connection to a NameServer. */
    void checkTlsFiles() throws IOException {
        TlsFiles.read(config.network().tls(), TlsFiles.Side.SERVER);
        TlsFiles.read(config.network().clientTls(), TlsFiles.Side.CLIENT);
    }

    /** Address and ports are checked with it: what is wrong with them is said before the store is touched. */
    BrokerIdentity identity() throws RemotingException {
        config.requireKnownHost();
        BrokerIdentity told = config.identity();
        String host = told.host().isEmpty() ? HostAddress.firstReachable() : told.host();
        int port = FreePort.find(seams.transport(), config.clientPort());
        for (ListenPort other : config.ports()) {
            if (!other.equals(config.clientPort())) {
                int unused = FreePort.find(seams.transport(), other);
            }
        }
        int haPort = config.replication().mayBeFollowed() && config.haPort().port() == 0
                ? otherPort(config.haPort(), port)
                : told.haPort();
        return told.at(host, port, haPort);
    }

    /** Where the system chooses both ports, it may name one twice. */
    private int otherPort(ListenPort wanted, int taken) throws RemotingException {
        int port;
        do {
            port = FreePort.find(seams.transport(), wanted);
        } while (port == taken);
        return port;
    }

    /**
     * How clients are listened to.
     *
     * @param port the one they are told
     * @param servers servers of this process, this one included, that share its file descriptors
     * @throws IOException when no descriptors are left for connections
     */
    ServerConfig clients(int port, CommitLog log, int servers) throws IOException {
        List<Integer> ports =
                config.network().fastPort() ? List.of(port, port - BrokerConfig.FAST_PORT_BELOW) : List.of(port);
        return new ServerConfig(
                config.clientPort().host(),
                ports,
                config.network().tls(),
                maxConnections(log, servers),
                ConnectionLimits.DEFAULT);
    }

    /** Fewer than usual where the process may not have so many files open; its log comes first. */
    private int maxConnections(CommitLog log, int servers) throws IOException {
        if (!seams.threads()) {
            return ServerConfig.DEFAULT_MAX_CONNECTIONS; // connections of a simulation are no descriptors
        }
        int readers = log.segments().size(); // each file of the log is opened once more when it is read
        DescriptorShare share = DescriptorShare.ofProcess(readers);
        int max = share.maxConnections(servers);
        if (max < ServerConfig.DEFAULT_MAX_CONNECTIONS) {
            LOG.warn(
                    "event=connections_capped maxConnections={} usually={} descriptorLimit={} descriptorsOpen={}"
                            + " reason=\"raise ulimit -n for more\"",
                    max,
                    ServerConfig.DEFAULT_MAX_CONNECTIONS,
                    share.limit(),
                    share.open());
        }
        return max;
    }
}
