package dev.perigee.client.instance;

import dev.perigee.loop.Clock;
import dev.perigee.loop.OwnedBy;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.tls.TlsFiles;
import dev.perigee.remoting.tls.TlsSettings;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings all client builders share. Values are checked when the client is built.
 *
 * @param <B> the builder itself
 */
@OwnedBy("building thread")
public abstract class ClientBuilder<B extends ClientBuilder<B>> {
    private static final String NAME_SERVER_PROPERTY = "rocketmq.namesrv.addr";
    private static final String NAME_SERVER_VARIABLE = "NAMESRV_ADDR";
    private static final String LOOPBACK = "127.0.0.1";

    private List<String> nameServers = configuredNameServers();
    private @Nullable String clientIp;
    private @Nullable String instanceName;
    private @Nullable String unitName;
    private long callTimeoutMs = ClientSettings.DEFAULT_CALL_TIMEOUT_MS;
    private long routeRefreshMs = ClientSettings.DEFAULT_ROUTE_REFRESH_MS;
    private long heartbeatMs = ClientSettings.DEFAULT_HEARTBEAT_MS;
    private int eventLoops = 1;
    private @Nullable TlsConfig tls;
    private Clock clock = Clock.system();
    private @Nullable Transport transport;
    private ClientSettings.LoopMode loopMode = ClientSettings.LoopMode.OWN_THREAD;

    protected ClientBuilder() {}

    /** This builder, typed. */
    protected abstract B self();

    /**
     * NameServer addresses, separated by {@code ;} or {@code ,}. Without this the system property {@code
     * rocketmq.namesrv.addr} counts, then the environment variable {@code NAMESRV_ADDR}.
     */
    public final B nameServers(String addresses) {
        this.nameServers = parse(addresses);
        return self();
    }

    /** Our address as part of the client id; by default the first IPv4 address that is not a loopback. */
    public final B clientIp(String ip) {
        this.clientIp = ip;
        return self();
    }

    /** Tells apart clients of one machine; by default unique for every client. */
    public final B instanceName(String name) {
        this.instanceName = name;
        return self();
    }

    /** Appended to the client id. */
    public final B unitName(String name) {
        this.unitName = name;
        return self();
    }

    /** Deadline of calls that have none of their own, in milliseconds; 3,000 by default. */
    public final B callTimeoutMs(long timeoutMs) {
        this.callTimeoutMs = timeoutMs;
        return self();
    }

    /** Milliseconds between two looks at the routes in use; 30,000 by default. */
    public final B routeRefreshMs(long periodMs) {
        this.routeRefreshMs = periodMs;
        return self();
    }

    /** Milliseconds between two heartbeats; 30,000 by default. */
    public final B heartbeatMs(long periodMs) {
        this.heartbeatMs = periodMs;
        return self();
    }

    /** Threads for connections; 1 by default, which is enough for several hundred thousand messages a second. */
    public final B eventLoops(int count) {
        this.eventLoops = count;
        return self();
    }

    /**
     * Encrypts connections to NameServers and brokers. Without this the system properties {@code tls.enable} and {@code
     * tls.client.*} count, and the file that {@code tls.config.file} names.
     */
    public final B tls(TlsConfig config) {
        this.tls = config;
        return self();
    }

    /** The time; for tests and simulation. */
    public final B clock(Clock source) {
        this.clock = source;
        return self();
    }

    /** The network; for sharing event loops between clients, and for simulation. It is not closed with the client. */
    public final B transport(Transport network) {
        this.transport = network;
        return self();
    }

    /** Who runs the client loop. */
    public final B loopMode(ClientSettings.LoopMode mode) {
        this.loopMode = mode;
        return self();
    }

    /** The clock chosen so far. */
    protected final Clock clock() {
        return clock;
    }

    /**
     * The checked settings, with the given instance name where none was set.
     *
     * @throws IllegalArgumentException when one is out of its range or a TLS file cannot be used, naming it
     */
    protected final ClientSettings settings(String defaultInstanceName) {
        String ip = clientIp;
        String instance = instanceName;
        return new ClientSettings(
                nameServers,
                ip != null ? ip : localAddress(),
                instance != null ? instance : defaultInstanceName,
                unitName,
                callTimeoutMs,
                routeRefreshMs,
                heartbeatMs,
                eventLoops,
                checkedTls(),
                clock,
                transport,
                loopMode);
    }

    /** An instance name no other client has: {@code <pid>#<nanoseconds>}. */
    protected final String uniqueInstanceName() {
        return ProcessHandle.current().pid() + "#" + clock.monotonicNs();
    }

    private TlsConfig checkedTls() {
        try {
            TlsConfig chosen = tls;
            TlsConfig checked = chosen != null ? chosen : TlsSettings.clientOfProcess();
            TlsFiles.read(checked, TlsFiles.Side.CLIENT);
            return checked;
        } catch (IOException | ConfigException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static List<String> configuredNameServers() {
        String property = System.getProperty(NAME_SERVER_PROPERTY);
        String variable = System.getenv(NAME_SERVER_VARIABLE);
        return parse(property != null ? property : variable != null ? variable : "");
    }

    private static List<String> parse(String addresses) {
        List<String> parsed = new ArrayList<>();
        for (String piece : addresses.split("[;,]", -1)) {
            String address = piece.strip();
            if (address.startsWith("http://")) {
                address = address.substring("http://".length());
            }
            if (!address.isEmpty()) {
                parsed.add(address);
            }
        }
        return List.copyOf(parsed);
    }

    private static String localAddress() {
        try {
            List<InetAddress> candidates = new ArrayList<>();
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (network.isUp() && !network.isLoopback()) {
                    candidates.addAll(Collections.list(network.getInetAddresses()));
                }
            }
            Optional<InetAddress> v4 =
                    candidates.stream().filter(a -> a.getAddress().length == 4).findFirst();
            return v4.or(() -> candidates.stream().findFirst())
                    .map(InetAddress::getHostAddress)
                    .orElse(LOOPBACK);
        } catch (SocketException e) {
            return LOOPBACK; // the address is only a name here; a machine that hides its interfaces still works
        }
    }
}
