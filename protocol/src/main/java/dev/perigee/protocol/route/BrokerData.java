package dev.perigee.protocol.route;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of one broker: id 0 is the master.
 */
public record BrokerData(
        String cluster,
        String brokerName,
        Map<Long, String> brokerAddrs,
        boolean enableActingMaster,
        @Nullable String zoneName) {
    public BrokerData {
        brokerAddrs = brokerAddrs == null ? Map.of() : brokerAddrs;
    }

    /** The address of the master, or null when there is none. */
    public @Nullable String masterAddress() {
        return brokerAddrs.get(MASTER_ID);
    }

    /** The broker id of a master. */
    public static final long MASTER_ID = 0;
}
