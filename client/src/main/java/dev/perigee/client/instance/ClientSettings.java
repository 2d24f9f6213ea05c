package dev.perigee.client.instance;

import dev.perigee.loop.Clock;
import dev.perigee.loop.Immutable;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.Transport;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What every kind of client needs to know.
 *
 * @param nameServers addresses {@code host:port}
 * @param clientIp our address as part of the client id; it is a name, not something to connect to
 * @param instanceName tells apart clients of one machine
 * @param unitName appended to the client id; null for none
 * @param callTimeoutMs deadline of calls that have none of their own
 * @param routeRefreshMs time between two looks at the routes in use
 * @param heartbeatMs time between two heartbeats
 * @param eventLoops threads for connections; ignored when a transport is given
 * @param tls encryption towards NameServers and brokers
 * @param clock the time
 * @param transport the network; null for real sockets on event loops of our own
 * @param loopMode who runs the client loop
 */
@Immutable
public record ClientSettings(
        List<String> nameServers,
        String clientIp,
        String instanceName,
        @Nullable String unitName,
        long callTimeoutMs,
        long routeRefreshMs,
        long heartbeatMs,
        int eventLoops,
        TlsConfig tls,
        Clock clock,
        @Nullable Transport transport,
        LoopMode loopMode) {
    /** Who runs the {@link dev.perigee.client.work.ClientLoop}. */
    public enum LoopMode {
        /** A thread of its own, started with the client. */
        OWN_THREAD,
        /** Somebody steps it, for instance a simulation. Blocking methods must not be used then. */
        STEPPED
    }

    /** Deadline of calls that have none of their own. */
    public static final long DEFAULT_CALL_TIMEOUT_MS = 3_000;
    /** Time between two looks at the routes in use. */
    public static final long DEFAULT_ROUTE_REFRESH_MS = 30_000;
    /** Time between two heartbeats; a broker drops a client after 120 s without one. */
    public static final long DEFAULT_HEARTBEAT_MS = 30_000;

    public ClientSettings {
        nameServers = List.copyOf(nameServers);
        requirePositive("callTimeoutMs", callTimeoutMs);
        requirePositive("routeRefreshMs", routeRefreshMs);
        requirePositive("heartbeatMs", heartbeatMs);
        requirePositive("eventLoops", eventLoops);
        if (clientIp.isBlank() || instanceName.isBlank()) {
            throw new IllegalArgumentException(
                    "clientIp=" + clientIp + " instanceName=" + instanceName + ", neither may be blank");
        }
    }

    /** The same settings for another client beside this one. */
    public ClientSettings withInstanceName(String name) {
        return new ClientSettings(
                nameServers,
                clientIp,
                name,
                unitName,
                callTimeoutMs,
                routeRefreshMs,
                heartbeatMs,
                1,
                tls,
                clock,
                transport,
                loopMode);
    }

    /** The name under which brokers know this client. */
    public String clientId() {
        String unit = unitName;
        return clientIp + "@" + instanceName + (unit == null || unit.isBlank() ? "" : "@" + unit);
    }

    /** The address as bytes, 4 or 16; of a name that is no address literal, four bytes made of its hash. */
    public byte[] addressBytes() {
        try {
            if (clientIp.chars().allMatch(c -> c == '.' || c == ':' || Character.digit(c, 16) >= 0)) {
                return InetAddress.getByName(clientIp).getAddress();
            }
        } catch (UnknownHostException e) {
            return hashBytes(); // looks like a literal, is none
        }
        return hashBytes();
    }

    private byte[] hashBytes() {
        return ByteBuffer.allocate(Integer.BYTES).putInt(clientIp.hashCode()).array();
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + "=" + value + ", must be above 0");
        }
    }
}
