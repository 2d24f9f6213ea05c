package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** A self-signed RSA certificate for 127.0.0.1 made by the JDK's keytool, and its key, as PEM files. */
record CertificateFiles(Path certificate, Path key) {
    private static final String PASSWORD = "changeit";
    private static final String ALIAS = "server";

    static CertificateFiles in(Path folder) throws IOException, InterruptedException, GeneralSecurityException {
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "RSA",
                        "-keysize",
                        "2048",
                        "-dname",
                        "CN=perigee test",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-ext",
                        "bc=ca:true",
                        "-validity",
                        "2",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(keytool.waitFor()).as(said).isZero();
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        return new CertificateFiles(
                pem(
                        folder.resolve("server.crt"),
                        "CERTIFICATE",
                        keys.getCertificate(ALIAS).getEncoded()),
                pem(
                        folder.resolve("server.key"),
                        "PRIVATE KEY",
                        keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded()));
    }

    private static Path pem(Path file, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        return Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }
}
