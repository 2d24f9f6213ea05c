package dev.perigee.remoting.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/** Reads a private key out of PEM text and makes sure that it belongs to a certificate. Pure. */
final class PemKey {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----([^-]*)-----END \\1-----");
    private static final String PLAIN = "PRIVATE KEY";
    private static final String ENCRYPTED = "ENCRYPTED PRIVATE KEY";
    private static final Map<String, String> SIGNATURES =
            Map.of("RSA", "SHA256withRSA", "EC", "SHA256withECDSA", "EdDSA", "EdDSA");

    private PemKey() {}

    /** @throws GeneralSecurityException when there is no such key, with a reason fit for the operator */
    static PrivateKey read(String text, PublicKey certified, @Nullable String password)
            throws GeneralSecurityException {
        Matcher block = BLOCK.matcher(text);
        if (!block.find()) {
            throw new GeneralSecurityException("holds no PEM private key");
        }
        byte[] der;
        try {
            der = Base64.getMimeDecoder().decode(block.group(2));
        } catch (IllegalArgumentException e) {
            throw new GeneralSecurityException("holds broken base64", e);
        }
        KeySpec spec = switch (block.group(1)) {
            case PLAIN -> new PKCS8EncodedKeySpec(der);
            case ENCRYPTED -> decrypted(der, password);
            default ->
                throw new GeneralSecurityException(
                        "is a " + block.group(1) + ", not PKCS#8; 'openssl pkcs8 -topk8 -nocrypt' converts it");
        };
        PrivateKey key;
        try {
            key = KeyFactory.getInstance(certified.getAlgorithm()).generatePrivate(spec);
        } catch (InvalidKeySpecException e) {
            throw new GeneralSecurityException(
                    "is no " + certified.getAlgorithm() + " key as the certificate wants", e);
        }
        requirePair(key, certified);
        return key;
    }

    private static KeySpec decrypted(byte[] der, @Nullable String password) throws GeneralSecurityException {
        if (password == null) {
            throw new GeneralSecurityException("is encrypted and no keyPassword is set");
        }
        try {
            EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
            AlgorithmParameters parameters = info.getAlgParameters();
            // PBES2 is a family: only its parameters know which cipher it is.
            String algorithm = parameters == null ? info.getAlgName() : parameters.toString();
            Cipher cipher = Cipher.getInstance(algorithm);
            cipher.init(
                    Cipher.DECRYPT_MODE,
                    SecretKeyFactory.getInstance(algorithm).generateSecret(new PBEKeySpec(password.toCharArray())),
                    parameters);
            return info.getKeySpec(cipher);
        } catch (IOException | GeneralSecurityException e) {
            throw new GeneralSecurityException("cannot be decrypted with the keyPassword that is set", e);
        }
    }

    private static void requirePair(PrivateKey key, PublicKey certified) throws GeneralSecurityException {
        String algorithm = SIGNATURES.get(certified.getAlgorithm());
        if (algorithm == null) {
            return; // a rarer kind: the handshake will tell
        }
        byte[] probe = "perigee".getBytes(StandardCharsets.US_ASCII);
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(probe);
        byte[] signed = signature.sign();
        signature.initVerify(certified);
        signature.update(probe);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("does not belong to the certificate");
        }
    }
}
