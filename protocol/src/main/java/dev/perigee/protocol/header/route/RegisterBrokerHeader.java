package dev.perigee.protocol.header.route;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of REGISTER_BROKER (103).
 *
 * @param brokerId 0 is the master
 * @param bodyCrc32 0 means not given
 * @param completeTable a Perigee broker says with true that the body lists all its topics: a Perigee name server then
 *     drops the others. Stock peers neither send nor read it
 */
public record RegisterBrokerHeader(
        String brokerName,
        String brokerAddr,
        String clusterName,
        String haServerAddr,
        long brokerId,
        @Nullable Long heartbeatTimeoutMillis,
        @Nullable Boolean enableActingMaster,
        @DefaultValue("false") boolean compressed,
        @DefaultValue("0") int bodyCrc32,
        @Key("__ZONE_NAME") @OptionalField @Nullable String zoneName,
        @Nullable Boolean completeTable) {}
