package dev.perigee.remoting;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.Date;
import javax.crypto.Cipher;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.bouncycastle.asn1.ASN1Sequence;
import org.bouncycastle.asn1.pkcs.EncryptedPrivateKeyInfo;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/** A self-signed certificate for 127.0.0.1 and its key, as PEM files. */
public record TestCertificate(Path certificate, Path key) {
    public static TestCertificate in(Path folder, String name)
            throws GeneralSecurityException, OperatorCreationException, IOException {
        return in(folder, name, Instant.now().plus(1, ChronoUnit.DAYS));
    }

    /** One that is no longer valid. */
    public static TestCertificate expiredIn(Path folder, String name)
            throws GeneralSecurityException, OperatorCreationException, IOException {
        return in(folder, name, Instant.now().minus(1, ChronoUnit.MINUTES));
    }

    /** Writes the key anew under a password. */
    public Path encryptedKey(String password) throws GeneralSecurityException, IOException {
        String algorithm = "PBEWithHmacSHA256AndAES_256";
        byte[] plain = Base64.getMimeDecoder().decode(Files.readString(key).replaceAll("-----[A-Z ]+-----", ""));
        Cipher cipher = Cipher.getInstance(algorithm);
        cipher.init(
                Cipher.ENCRYPT_MODE,
                SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password.toCharArray())));
        ASN1Sequence parameters =
                ASN1Sequence.getInstance(cipher.getParameters().getEncoded());
        // Some JDKs write the identifier of the scheme together with its parameters, some do not.
        AlgorithmIdentifier scheme = parameters.getObjectAt(0).equals(PKCSObjectIdentifiers.id_PBES2)
                ? AlgorithmIdentifier.getInstance(parameters)
                : new AlgorithmIdentifier(PKCSObjectIdentifiers.id_PBES2, parameters);
        byte[] der = new EncryptedPrivateKeyInfo(scheme, cipher.doFinal(plain)).getEncoded();
        return Files.writeString(key.resolveSibling("encrypted.key"), pem("ENCRYPTED PRIVATE KEY", der));
    }

    private static TestCertificate in(Path folder, String name, Instant end)
            throws GeneralSecurityException, OperatorCreationException, IOException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        KeyPair keys = generator.generateKeyPair();
        Path certificate = folder.resolve(name + ".crt");
        Path key = folder.resolve(name + ".key");
        Files.writeString(
                certificate, pem("CERTIFICATE", selfSigned(keys, name, end).getEncoded()));
        Files.writeString(key, pem("PRIVATE KEY", keys.getPrivate().getEncoded()));
        return new TestCertificate(certificate, key);
    }

    private static X509Certificate selfSigned(KeyPair keys, String name, Instant end)
            throws GeneralSecurityException, OperatorCreationException, IOException {
        X500Name subject = new X500Name("CN=" + name);
        Instant now = Instant.now();
        JcaX509v3CertificateBuilder builder = new JcaX509v3CertificateBuilder(
                subject,
                BigInteger.valueOf(now.toEpochMilli()),
                Date.from(now.minus(1, ChronoUnit.HOURS)),
                Date.from(end),
                subject,
                keys.getPublic());
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(true));
        builder.addExtension(
                Extension.subjectAlternativeName,
                false,
                new GeneralNames(new GeneralName(GeneralName.iPAddress, "127.0.0.1")));
        ContentSigner signer = new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate());
        return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
    }

    private static String pem(String what, byte[] bytes) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    }
}
