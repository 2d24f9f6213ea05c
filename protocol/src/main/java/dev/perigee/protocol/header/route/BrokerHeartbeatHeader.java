package dev.perigee.protocol.header.route;

import dev.perigee.protocol.header.Key;
import org.jspecify.annotations.Nullable;

/**
 * Header of BROKER_HEARTBEAT (904).
 */
public record BrokerHeartbeatHeader(
        String clusterName,
        String brokerAddr,
        String brokerName,
        @Nullable Long brokerId,
        @Nullable Integer epoch,
        @Nullable Long maxOffset,
        @Nullable Long confirmOffset,
        @Key("heartbeatTimeoutMills") @Nullable Long heartbeatTimeoutMs,
        @Nullable Integer electionPriority) {}
