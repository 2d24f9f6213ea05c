package dev.perigee.protocol.header.route;

import dev.perigee.protocol.header.OptionalField;
import org.jspecify.annotations.Nullable;

/**
 * Answer header of REGISTER_BROKER (103).
 */
public record RegisterBrokerResponse(
        @OptionalField @Nullable String haServerAddr,
        @OptionalField @Nullable String masterAddr) {}
