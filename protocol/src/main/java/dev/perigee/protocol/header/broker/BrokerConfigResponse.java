package dev.perigee.protocol.header.broker;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Answer header of GET_BROKER_CONFIG (26).
 *
 * @param version a data version as JSON text
 */
public record BrokerConfigResponse(@OptionalField @Nullable String version) {}
