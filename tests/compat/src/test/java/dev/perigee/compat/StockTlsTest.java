package dev.perigee.compat;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.client.producer.Producer;
import dev.perigee.harness.Received;
import dev.perigee.harness.Sent;
import dev.perigee.harness.StockConsumer;
import dev.perigee.harness.StockDriver;
import dev.perigee.harness.StockPeer;
import dev.perigee.harness.StockProducer;
import dev.perigee.harness.own.PerigeeProcess;
import dev.perigee.harness.scenario.StockScenarios;
import dev.perigee.protocol.message.Message;
import dev.perigee.remoting.transport.TlsConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Stock 5.x clients with TLS and without it, on the same ports of a Perigee NameServer and broker. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StockTlsTest {
    private static final int COUNT = 20;

    private final List<AutoCloseable> started = new ArrayList<>();
    private Path folder;
    private CertificateFiles files;
    private PerigeeProcess permissive;
    private StockDriver encrypted;
    private StockDriver plain;

    private <T extends AutoCloseable> T keep(T part) {
        started.add(0, part);
        return part;
    }

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        folder = directory;
        files = CertificateFiles.in(directory);
        permissive = keep(PerigeeProcess.up(
                directory.resolve("permissive"),
                "--set",
                "tls.server.certPath=" + files.certificate(),
                "--set",
                "tls.server.keyPath=" + files.key()));
        encrypted = keep(
                verifying(directory.resolve("encrypted"), permissive.target().namesrv()));
        plain = keep(StockDriver.impatient(
                StockPeer.CLIENT5,
                directory.resolve("plain"),
                permissive.target().namesrv()));
    }

    @AfterAll
    void stop() throws Exception {
        for (AutoCloseable part : started) {
            part.close();
        }
    }

    /** A stock client that encrypts and checks the server's certificate, so it proves that this one is shown. */
    private StockDriver verifying(Path home, String namesrv) throws Exception {
        return StockDriver.impatient(
                StockPeer.CLIENT5,
                home,
                namesrv,
                "-Dtls.enable=true",
                "-Dtls.test.mode.enable=false",
                "-Dtls.client.authServer=true",
                "-Dtls.client.trustCertPath=" + files.certificate());
    }

    /** The other check of the same: with other roots it must not come through. */
    private StockDriver distrusting(Path home, String namesrv) throws Exception {
        CertificateFiles foreign = CertificateFiles.in(Files.createDirectories(home));
        return StockDriver.impatient(
                StockPeer.CLIENT5,
                home,
                namesrv,
                "-Dtls.enable=true",
                "-Dtls.test.mode.enable=false",
                "-Dtls.client.authServer=true",
                "-Dtls.client.trustCertPath=" + foreign.certificate());
    }

    @TestFactory
    Stream<DynamicTest> everyWayOfSendingOverTls() {
        return ScenarioTests.of(StockScenarios.sending(encrypted));
    }

    @Test
    void encryptedAndPlainClientsReadEachOthersMessages() {
        try (StockProducer from = encrypted.producer("tls-sender");
                StockProducer other = plain.producer("plain-sender");
                StockConsumer secret = encrypted.consumer("tls-reader", "mixed");
                StockConsumer open = plain.consumer("plain-reader", "mixed")) {
            from.send("mixed", COUNT);
            other.send("mixed", COUNT);

            assertThat(secret.await(2 * COUNT)).extracting(Received::body).hasSize(2 * COUNT);
            assertThat(open.await(2 * COUNT)).extracting(Received::body).hasSize(2 * COUNT);
        }
    }

    @Test
    void ourClientOverTlsSendsToAPlainStockConsumer() throws Exception {
        try (Producer producer = Producer.builder()
                        .nameServers(permissive.target().namesrv())
                        .tls(TlsConfig.clientTrusting(files.certificate()))
                        .group("our-tls-sender")
                        .sendTimeoutMs(OwnBench.TIMEOUT_MS)
                        .callTimeoutMs(OwnBench.TIMEOUT_MS)
                        .build();
                StockConsumer reader = plain.consumer("reader-of-ours", "from-ours")) {
            producer.start();
            producer.send(Message.builder("from-ours").body("sealed").build());

            assertThat(reader.await(1)).extracting(Received::body).containsExactly("sealed");
        }
    }

    @Test
    void aClientThatTrustsOthersDoesNotComeThrough() throws Exception {
        try (StockDriver driver = distrusting(
                        folder.resolve("foreign"), permissive.target().namesrv());
                StockProducer producer = driver.producer("distrusting")) {
            assertThat(producer.send("distrusted", 1)).noneMatch(Sent::isOk);
        }
    }

    @Test
    void anEnforcingClusterServesStockTlsWithAThrowAwayCertificateAndRefusesPlainText() throws Exception {
        PerigeeProcess enforcing = keep(PerigeeProcess.encryptedUp(folder.resolve("enforcing")));
        String namesrv = enforcing.target().namesrv();
        StockDriver tls =
                keep(StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("tls"), namesrv, "-Dtls.enable=true"));
        StockDriver open = keep(StockDriver.impatient(StockPeer.CLIENT5, folder.resolve("open"), namesrv));

        try (StockProducer producer = tls.producer("tls-only");
                StockConsumer consumer = tls.consumer("tls-only-readers", "sealed");
                StockProducer refused = open.producer("plain-only")) {
            assertThat(producer.send("sealed", COUNT)).allMatch(Sent::isOk);
            assertThat(consumer.await(COUNT)).hasSize(COUNT);
            assertThat(refused.send("sealed", 1)).noneMatch(Sent::isOk);
        }
    }
}
