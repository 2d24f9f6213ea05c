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

    /** Where to read from: the master, or without one the slave with the smallest id; null when no address is known. */
    public @Nullable String addressToRead() {
        return brokerAddrs.entrySet().stream()
                .min(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .orElse(null);
    }

    /** The broker id of a master. */
    public static final long MASTER_ID = 0;
}
