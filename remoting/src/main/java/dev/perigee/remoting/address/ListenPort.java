package dev.perigee.remoting.address;

import dev.perigee.loop.Immutable;
import dev.perigee.loop.config.ConfigException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One port a server takes, and the settings that say so.
 *
 * @param hostKey the setting of the host
 * @param host the address to listen on; {@code 0.0.0.0} for all
 * @param portKey the setting of the port; what is made of one says how, for instance {@code listenPort - 2}
 * @param port the port; 0 lets the system choose
 */
@Immutable
public record ListenPort(String hostKey, String host, String portKey, int port) {
    /** {@code host:port}. */
    public String address() {
        return host + ":" + port;
    }

    /**
     * Checks that no port is wanted twice; ports that the system chooses are not.
     *
     * @throws ConfigException when one is, naming both settings
     */
    public static void requireDistinct(List<ListenPort> ports) {
        Map<Integer, String> taken = new HashMap<>();
        for (ListenPort wanted : ports) {
            String other = wanted.port() == 0 ? null : taken.put(wanted.port(), wanted.portKey());
            if (other != null) {
                throw new ConfigException(
                        wanted.portKey(), Integer.toString(wanted.port()), "another port than that of " + other);
            }
        }
    }
}
