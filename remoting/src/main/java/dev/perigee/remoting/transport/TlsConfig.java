package dev.perigee.remoting.transport;

import dev.perigee.loop.Immutable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption of one side. On a server the mode decides; on a client every mode but {@link TlsMode#DISABLED} means that it
 * connects with TLS.
 *
 * @param mode see {@link TlsMode}
 * @param certificate PEM file with our own certificate chain; mandatory for a server that offers TLS
 * @param key PEM file (PKCS #8) with the private key of the certificate
 * @param keyPassword password of the key file, or null
 * @param trust how the peer's certificate is checked
 * @param trustedCertificates PEM file of the accepted roots for {@link Trust#FILE}
 */
@Immutable
public record TlsConfig(
        TlsMode mode,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable String keyPassword,
        Trust trust,
        @Nullable Path trustedCertificates) {
    /** How the peer's certificate is checked. */
    public enum Trust {
        /** Not at all: a server asks for none, a client takes any. */
        ALL,
        /** Against the roots the JDK trusts, host name included. */
        SYSTEM,
        /** Against the roots in a file, host name included. A server asks for a certificate. */
        FILE
    }

    /** No encryption. */
    public static final TlsConfig OFF = new TlsConfig(TlsMode.DISABLED, null, null, null, Trust.ALL, null);

    public TlsConfig {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(
                    "a TLS certificate and its key must be given together: certificate=" + certificate + " key=" + key);
        }
        if (trust == Trust.FILE && trustedCertificates == null) {
            throw new IllegalArgumentException("TLS trust by file needs a file of trusted certificates");
        }
    }

    /** A server's encryption with this certificate, asking clients for none. */
    public static TlsConfig server(TlsMode mode, Path certificate, Path key) {
        return new TlsConfig(mode, certificate, key, null, Trust.ALL, null);
    }

    /** A client that encrypts and takes any certificate. */
    public static TlsConfig clientTrustingAll() {
        return new TlsConfig(TlsMode.ENFORCING, null, null, null, Trust.ALL, null);
    }

    /** A client that encrypts and checks the server against the roots in this file. */
    public static TlsConfig clientTrusting(Path trustedCertificates) {
        return new TlsConfig(TlsMode.ENFORCING, null, null, null, Trust.FILE, trustedCertificates);
    }

    /** Whether TLS is used or offered at all. */
    public boolean isOn() {
        return mode != TlsMode.DISABLED;
    }
}
