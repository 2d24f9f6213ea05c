package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * The Prometheus endpoint.
 *
 * @param enabled whether {@code /metrics} is served
 * @param port its port
 */
@Immutable
public record MetricsSettings(boolean enabled, int port) {}
