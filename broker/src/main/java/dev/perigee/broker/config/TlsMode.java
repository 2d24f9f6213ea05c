package dev.perigee.broker.config;

/** Values of {@code tls.server.mode}. */
enum TlsMode {
    DISABLED,
    PERMISSIVE,
    /** Not built yet: stops the start. */
    ENFORCING
}
