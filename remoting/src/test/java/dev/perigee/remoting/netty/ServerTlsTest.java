package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.perigee.remoting.TestCertificate;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import io.netty.handler.ssl.SslContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Renewed certificates, on a clock and a worker that the test moves. */
final class ServerTlsTest {
    @TempDir
    private Path folder;

    private final Deque<Runnable> work = new ArrayDeque<>();
    private long nowNs;
    private TestCertificate used;
    private ServerTls tls;

    @BeforeEach
    void start() throws Exception {
        used = TestCertificate.in(folder, "used");
        tls = ServerTls.start(
                TlsConfig.server(TlsMode.ENFORCING, used.certificate(), used.key()), work::add, () -> nowNs);
    }

    private SslContext next() {
        CompletableFuture<SslContext> context = tls.forNewConnection();
        while (!work.isEmpty()) {
            work.remove().run();
        }
        return context.join();
    }

    private void later() {
        nowNs += TimeUnit.MILLISECONDS.toNanos(ServerTls.LOOK_INTERVAL_MS);
    }

    private static void replace(Path file, Path with) throws Exception {
        Files.move(with, file, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void unchangedFilesKeepTheContextAndAreNotReadBetweenLooks() {
        SslContext first = next();
        assertThat(tls.forNewConnection()).isCompleted();
        assertThat(work).isEmpty();

        later();
        assertThat(next()).isSameAs(first);
    }

    @Test
    void aRenewedCertificateIsShownByTheFirstConnectionAfterIt() throws Exception {
        SslContext first = next();
        TestCertificate renewed = TestCertificate.in(folder, "renewed");
        replace(used.certificate(), renewed.certificate());
        replace(used.key(), renewed.key());

        later();
        SslContext second = next();

        assertThat(second).isNotSameAs(first);
        later();
        assertThat(next()).isSameAs(second);
    }

    @Test
    void halfARenewalLeavesTheOldCertificateUntilItsOtherHalfIsThere() throws Exception {
        SslContext first = next();
        TestCertificate renewed = TestCertificate.in(folder, "renewed");
        replace(used.certificate(), renewed.certificate());
        later();
        assertThat(next()).isSameAs(first);

        replace(used.key(), renewed.key());
        later();
        assertThat(next()).isNotSameAs(first);
    }

    @Test
    void aVanishedOrExpiredCertificateLeavesTheOldOne() throws Exception {
        SslContext first = next();
        Files.delete(used.key());
        later();
        assertThat(next()).isSameAs(first);

        TestCertificate old = TestCertificate.expiredIn(folder, "old");
        replace(used.certificate(), old.certificate());
        replace(used.key(), old.key());
        later();
        assertThat(next()).isSameAs(first);
    }

    @Test
    void filesThatCouldNotBeReadForAMomentCountAtTheNextLookAlthoughTheirStampsDidNotChange() throws Exception {
        SslContext first = next();
        TestCertificate renewed = TestCertificate.in(folder, "renewed");
        byte[] key = Files.readAllBytes(renewed.key());
        FileTime stamp =
                FileTime.fromMillis(Files.getLastModifiedTime(used.key()).toMillis() + 5_000);
        replace(used.certificate(), renewed.certificate());
        Files.write(used.key(), new byte[key.length]);
        Files.setLastModifiedTime(used.key(), stamp);
        later();
        assertThat(next()).isSameAs(first);

        Files.write(used.key(), key);
        Files.setLastModifiedTime(used.key(), stamp);
        later();
        assertThat(next()).isNotSameAs(first);
    }

    @Test
    void filesThatStayUnusableAreLoggedOnce() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(ServerTls.class);
        logger.addAppender(log);
        try {
            Files.delete(used.key());
            for (int i = 0; i < 3; i++) {
                later();
                next();
            }
        } finally {
            logger.detachAppender(log);
        }
        assertThat(log.list)
                .filteredOn(line -> line.getFormattedMessage().contains("event=tls_reload_failed"))
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage()).contains("tls.server.keyPath"));
    }

    @Test
    void connectionsThatComeDuringALookWaitForTheSameOutcome() {
        next();
        later();

        CompletableFuture<SslContext> one = tls.forNewConnection();
        CompletableFuture<SslContext> two = tls.forNewConnection();

        assertThat(one).isSameAs(two).isNotDone();
        assertThat(work).hasSize(1);
    }

    @Test
    void aThrowAwayCertificateIsMadeOnceWhenItIsWanted() throws Exception {
        tls = ServerTls.start(TlsConfig.throwAway(TlsMode.PERMISSIVE), work::add, () -> nowNs);
        assertThat(work).isEmpty();

        SslContext first = next();
        later();
        assertThat(next()).isSameAs(first);
        assertThat(work).isEmpty();
    }
}
