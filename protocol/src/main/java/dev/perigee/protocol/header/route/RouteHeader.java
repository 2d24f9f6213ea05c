package dev.perigee.protocol.header.route;

import dev.perigee.protocol.header.Key;
import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Header of GET_ROUTEINFO_BY_TOPIC (105).
 */
public record RouteHeader(
        String topic,
        @Nullable Boolean acceptStandardJsonOnly,
        @Key("__ZONE_MODE") @Nullable Boolean zoneMode,
        @Key("__ZONE_NAME") @OptionalField @Nullable String zoneName) {}
