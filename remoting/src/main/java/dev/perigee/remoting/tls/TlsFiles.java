package dev.perigee.remoting.tls;

import dev.perigee.loop.Immutable;
import dev.perigee.remoting.transport.TlsConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The files of a TLS configuration, read and checked: they can be read, hold what they should, the own certificate is
 * valid today and belongs to the key. What fails is named with its setting and its file, because the library below
 * would only notice at the first connection.
 *
 * @param own our certificate and key; empty when none is configured
 * @param roots the trusted certificates; empty unless trust goes by a file
 */
@Immutable
public record TlsFiles(Optional<Own> own, List<X509Certificate> roots) {
    /** The largest file that is read. */
    static final int MAX_FILE_BYTES = 1 << 20;

    /** Which side the settings are of; it decides their names. */
    public enum Side {
        SERVER,
        CLIENT;

        String setting(String name) {
            return (this == SERVER ? "tls.server." : "tls.client.") + name;
        }
    }

    /** Our certificate, first of its chain, and its key. */
    @Immutable
    public record Own(PrivateKey key, List<X509Certificate> chain) {
        public Own {
            chain = List.copyOf(chain);
        }
    }

    public TlsFiles {
        roots = List.copyOf(roots);
    }

    /**
     * Reads what the configuration names; nothing when it is off. Blocks on the disk.
     *
     * @throws IOException when something cannot be used, with setting, file and reason
     */
    public static TlsFiles read(TlsConfig config, Side side) throws IOException {
        if (!config.isOn()) {
            return new TlsFiles(Optional.empty(), List.of());
        }
        Optional<Own> own =
                config.identity() == TlsConfig.Identity.FILES ? Optional.of(own(config, side)) : Optional.empty();
        List<X509Certificate> roots = config.trust() == TlsConfig.Trust.FILE
                ? certificates(Objects.requireNonNull(config.trustedCertificates()), side.setting("trustCertPath"))
                : List.of();
        return new TlsFiles(own, roots);
    }

    private static Own own(TlsConfig config, Side side) throws IOException {
        Path certificateFile = Objects.requireNonNull(config.certificate());
        String certificateSetting = side.setting("certPath");
        List<X509Certificate> chain = certificates(certificateFile, certificateSetting);
        X509Certificate leaf = chain.get(0);
        try {
            leaf.checkValidity(); // by the wall clock of the machine, as TLS itself does
        } catch (CertificateExpiredException e) {
            throw unusable(
                    certificateSetting,
                    certificateFile,
                    "expired at " + leaf.getNotAfter().toInstant(),
                    e);
        } catch (CertificateNotYetValidException e) {
            throw unusable(
                    certificateSetting,
                    certificateFile,
                    "not valid before " + leaf.getNotBefore().toInstant(),
                    e);
        }
        Path keyFile = Objects.requireNonNull(config.key());
        try {
            PrivateKey key =
                    PemKey.read(text(keyFile, side.setting("keyPath")), leaf.getPublicKey(), config.keyPassword());
            return new Own(key, chain);
        } catch (GeneralSecurityException e) {
            throw unusable(side.setting("keyPath"), keyFile, String.valueOf(e.getMessage()), e);
        }
    }

    private static List<X509Certificate> certificates(Path file, String setting) throws IOException {
        byte[] bytes = text(file, setting).getBytes(StandardCharsets.ISO_8859_1);
        List<X509Certificate> found = new ArrayList<>();
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (Certificate one : factory.generateCertificates(new ByteArrayInputStream(bytes))) {
                found.add((X509Certificate) one);
            }
        } catch (CertificateException e) {
            throw unusable(setting, file, "holds no PEM certificate: " + e.getMessage(), e);
        }
        if (found.isEmpty()) {
            throw unusable(setting, file, "holds no PEM certificate", null);
        }
        return found;
    }

    private static String text(Path file, String setting) throws IOException {
        @Nullable String text;
        try {
            text = Files.size(file) > MAX_FILE_BYTES ? null : Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (FileSystemException e) {
            throw unusable(setting, file, "cannot be read: " + e.getClass().getSimpleName(), e);
        } catch (IOException e) {
            throw unusable(setting, file, "cannot be read: " + e.getMessage(), e);
        }
        if (text == null) {
            throw unusable(setting, file, "is larger than " + MAX_FILE_BYTES + " bytes", null);
        }
        return text;
    }

    private static IOException unusable(String setting, Path file, String reason, @Nullable Throwable cause) {
        return new IOException("setting " + setting + "=" + file + " cannot be used: " + reason, cause);
    }
}
