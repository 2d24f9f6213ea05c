package dev.perigee.remoting.netty;

import dev.perigee.remoting.tls.TlsFiles;
import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** Makes the self-signed certificate of {@code tls.test.mode.enable}: valid for nobody in particular, never written. */
final class ThrowAwayCertificate {
    private static final X500Name NOBODY = new X500Name("CN=perigee throw-away certificate");
    /** Clocks of test machines differ. */
    private static final Duration BEFORE = Duration.ofDays(1);

    private static final Duration AFTER = Duration.ofDays(3_650);

    private ThrowAwayCertificate() {}

    /** Takes some tens of milliseconds, more the first time. */
    static TlsFiles.Own make() throws IOException {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec("secp256r1"));
            KeyPair keys = generator.generateKeyPair();
            Instant now = Instant.now(); // the wall clock of the machine, as TLS itself takes it
            JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                    NOBODY,
                    BigInteger.valueOf(now.toEpochMilli()),
                    Date.from(now.minus(BEFORE)),
                    Date.from(now.plus(AFTER)),
                    NOBODY,
                    keys.getPublic());
            return new TlsFiles.Own(
                    keys.getPrivate(),
                    List.of(new JcaX509CertificateConverter()
                            .getCertificate(builder.build(
                                    new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())))));
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IOException("no throw-away certificate can be made: " + e.getMessage(), e);
        }
    }
}
