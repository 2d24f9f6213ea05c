package dev.perigee.protocol.client;

import org.jspecify.annotations.Nullable;

/**
 * One connected client.
 */
public record ClientConnection(
        String clientId, String clientAddr, @Nullable String language, int version) {}
