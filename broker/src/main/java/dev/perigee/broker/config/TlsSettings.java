package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * TLS on the client port.
 *
 * @param permissive whether TLS is offered beside plain text
 * @param certPath PEM certificate chain; empty with testMode
 * @param keyPath PEM private key (PKCS#8); empty with testMode
 * @param keyPassword password of the key, or empty
 * @param testMode whether a throw-away certificate may stand in for the files
 */
@Immutable
public record TlsSettings(boolean permissive, String certPath, String keyPath, String keyPassword, boolean testMode) {}
