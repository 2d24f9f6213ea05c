package dev.perigee.remoting.transport;

import dev.perigee.loop.Immutable;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Encryption of one side. On a server the mode decides; on a client every mode but {@link TlsMode#DISABLED} means that it
 * connects with TLS.
 *
 * @param mode see {@link TlsMode}
 * @param identity which certificate of our own is shown
 * @param certificate PEM file with our own certificate chain, for {@link Identity#FILES}
 * @param key PEM file (PKCS #8) with the private key of the certificate, for {@link Identity#FILES}
 * @param keyPassword password of the key file, or null
 * @param trust how the peer's certificate is checked
 * @param trustedCertificates PEM file of the accepted roots for {@link Trust#FILE}
 * @param clientAuth on a server: whether clients show a certificate
 */
@Immutable
public record TlsConfig(
        TlsMode mode,
        Identity identity,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable String keyPassword,
        Trust trust,
        @Nullable Path trustedCertificates,
        ClientAuth clientAuth) {
    /** Which certificate of our own is shown. */
    public enum Identity {
        /** None: a client that does not say who it is. */
        NONE,
        /** One of files. */
        FILES,
        /** One made by this process and kept in its memory only: encryption without a proof of who the server is. */
        THROW_AWAY
    }

    /** How the peer's certificate is checked. */
    public enum Trust {
        /** Not at all: any is taken. */
        ALL,
        /** Against the roots the JDK trusts, a server's host name included. */
        SYSTEM,
        /** Against the roots in a file, a server's host name included. */
        FILE
    }

    /** Whether clients of a server show a certificate. */
    public enum ClientAuth {
        /** They are not asked for one. */
        NONE,
        /** They are asked; one that is shown is checked. */
        OPTIONAL,
        /** Who shows none is sent away. */
        REQUIRE
    }

    /** No encryption. */
    public static final TlsConfig OFF =
            new TlsConfig(TlsMode.DISABLED, Identity.NONE, null, null, null, Trust.ALL, null, ClientAuth.NONE);

    public TlsConfig {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException(
                    "a TLS certificate and its key must be given together: certificate=" + certificate + " key=" + key);
        }
        if ((identity == Identity.FILES) != (certificate != null)) {
            throw new IllegalArgumentException("TLS identity " + identity + " with certificate=" + certificate);
        }
        if (trust == Trust.FILE && trustedCertificates == null) {
            throw new IllegalArgumentException("TLS trust by file needs a file of trusted certificates");
        }
    }

    /** A server's encryption with this certificate, asking clients for none. */
    public static TlsConfig server(TlsMode mode, Path certificate, Path key) {
        return new TlsConfig(mode, Identity.FILES, certificate, key, null, Trust.ALL, null, ClientAuth.NONE);
    }

    /** A server's encryption with a certificate that lives as long as the process. */
    public static TlsConfig throwAway(TlsMode mode) {
        return new TlsConfig(mode, Identity.THROW_AWAY, null, null, null, Trust.ALL, null, ClientAuth.NONE);
    }

    /** A client that encrypts and takes any certificate. */
    public static TlsConfig clientTrustingAll() {
        return new TlsConfig(TlsMode.ENFORCING, Identity.NONE, null, null, null, Trust.ALL, null, ClientAuth.NONE);
    }

    /** A client that encrypts and checks the server against the roots in this file. */
    public static TlsConfig clientTrusting(Path trustedCertificates) {
        return new TlsConfig(
                TlsMode.ENFORCING, Identity.NONE, null, null, null, Trust.FILE, trustedCertificates, ClientAuth.NONE);
    }

    /** The same server asking its clients for certificates of these roots. */
    public TlsConfig askingClients(ClientAuth asking, Path roots) {
        return new TlsConfig(mode, identity, certificate, key, keyPassword, Trust.FILE, roots, asking);
    }

    /** The same side with a certificate of its own. */
    public TlsConfig showing(Path ownCertificate, Path ownKey, @Nullable String password) {
        return new TlsConfig(
                mode, Identity.FILES, ownCertificate, ownKey, password, trust, trustedCertificates, clientAuth);
    }

    /** Whether TLS is used or offered at all. */
    public boolean isOn() {
        return mode != TlsMode.DISABLED;
    }

    /** Everything but the password. */
    @Override
    public String toString() {
        return "TlsConfig[mode=" + mode + ", identity=" + identity + ", certificate=" + certificate + ", key=" + key
                + ", trust=" + trust + ", trustedCertificates=" + trustedCertificates + ", clientAuth=" + clientAuth
                + "]";
    }
}
