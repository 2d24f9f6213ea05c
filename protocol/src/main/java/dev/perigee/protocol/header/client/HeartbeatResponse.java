package dev.perigee.protocol.header.client;

import dev.perigee.protocol.header.DefaultValue;
import dev.perigee.protocol.header.Key;

/**
 * Answer header of HEART_BEAT (34).
 */
public record HeartbeatResponse(
        @Key("IS_SUPPORT_HEART_BEAT_V2") @DefaultValue("false")
        boolean heartbeatV2,

        @Key("IS_SUB_CHANGE") @DefaultValue("true") boolean subscriptionChanged) {}
