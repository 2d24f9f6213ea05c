package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;

import dev.perigee.loop.Clock;
import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.Deadline;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TlsTest {
    @TempDir
    private Path folder;

    private Network network;
    private TestCertificate own;
    private TestCertificate foreign;

    @BeforeEach
    void open() throws Exception {
        network = new Network();
        own = TestCertificate.in(folder, "own");
        foreign = TestCertificate.in(folder, "foreign");
    }

    @AfterEach
    void close() throws Exception {
        network.close();
    }

    @Test
    void aPermissivePortServesPlainAndEncryptedConnections() throws Exception {
        RemotingServer server = server(TlsMode.PERMISSIVE);

        assertThat(echo(server, TlsConfig.OFF)).isTrue();
        assertThat(echo(server, TlsConfig.clientTrustingAll())).isTrue();
        assertThat(echo(server, TlsConfig.clientTrusting(own.certificate()))).isTrue();
    }

    @Test
    void anEnforcingPortServesOnlyEncryptedConnections() throws Exception {
        RemotingServer server = server(TlsMode.ENFORCING);

        assertThat(echo(server, TlsConfig.clientTrustingAll())).isTrue();
        assertThatThrownBy(() -> echo(server, TlsConfig.OFF))
                .isInstanceOf(RemotingException.ConnectionClosed.class)
                .hasMessageContaining("before it sent anything, as a port does that takes TLS only");
        try (RawPeer plain = new RawPeer(server.boundPort())) {
            plain.send(RawPeer.echoFrame(1));
            assertThat(plain.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void aPortWithoutTlsEndsEncryptedConnections() throws Exception {
        RemotingServer server = network.server(Echo.table().build());

        assertThatThrownBy(() -> echo(server, TlsConfig.clientTrustingAll()))
                .isInstanceOf(RemotingException.ConnectFailed.class)
                .hasMessageContaining(Network.addressOf(server))
                .hasMessageContaining("no TLS was agreed on: ");
        assertThat(echo(server, TlsConfig.OFF)).isTrue();
    }

    @Test
    void aCallThatWaitsForAHandshakeSaysSoAtItsDeadline() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RemotingClient client = network.client(ClientConfig.DEFAULT.withTls(TlsConfig.clientTrustingAll()))) {
            String address = "127.0.0.1:" + silent.getLocalPort();
            // again, for on a busy machine the first deadlines may pass before the peer is reached
            await().atMost(ONE_MINUTE)
                    .untilAsserted(() -> assertThatThrownBy(() -> client.callBlocking(
                                    address,
                                    Echo.ECHO,
                                    EchoHeader.of("x", 1),
                                    null,
                                    Deadline.after(Clock.system(), 200)))
                            .isInstanceOf(RemotingException.CallTimeout.class)
                            .hasMessageContaining(
                                    "the peer was reached, but the TLS handshake with it had not finished"));
            Deadline now = Deadline.after(Clock.system(), 1);
            assertThatThrownBy(() -> client.connect(address, now).get())
                    .hasRootCauseInstanceOf(RemotingException.ConnectFailed.class)
                    .hasMessageContaining("TLS handshake");
        }
    }

    @Test
    void whatEncryptionNeedsIsMadeBeforeAnybodyAsksForIt() throws Exception {
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0).withTls(TlsConfig.throwAway(TlsMode.ENFORCING)),
                Echo.table().build());
        server.prepareTls().get(1, TimeUnit.MINUTES);
        assertThat(echo(server, TlsConfig.clientTrustingAll())).isTrue();
        assertThat(network.server(Echo.table().build()).prepareTls()).isDone();
    }

    @Test
    void aVerifyingClientRefusesAForeignCertificate() throws Exception {
        RemotingServer server = server(TlsMode.PERMISSIVE);

        assertThatThrownBy(() -> echo(server, TlsConfig.clientTrusting(foreign.certificate())))
                .isInstanceOf(RemotingException.ConnectFailed.class)
                .hasMessageContaining("cannot connect to");
        assertThat(echo(server, TlsConfig.OFF)).isTrue();
    }

    @Test
    void aServerCanAskClientsForACertificate() throws Exception {
        TlsConfig config = TlsConfig.server(TlsMode.ENFORCING, own.certificate(), own.key())
                .askingClients(TlsConfig.ClientAuth.REQUIRE, foreign.certificate());
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0).withTls(config), Echo.table().build());
        TlsConfig withCertificate =
                TlsConfig.clientTrusting(own.certificate()).showing(foreign.certificate(), foreign.key(), null);

        assertThat(echo(server, withCertificate)).isTrue();
        assertThatThrownBy(() -> echo(server, TlsConfig.clientTrustingAll())).isInstanceOf(RemotingException.class);
    }

    @Test
    void largeBodiesSurviveEncryption() throws Exception {
        RemotingServer server = server(TlsMode.PERMISSIVE);
        byte[] body = new byte[3 << 20];
        new Random(1).nextBytes(body);
        RemotingClient client = network.client(ClientConfig.DEFAULT.withTls(TlsConfig.clientTrustingAll()));

        Answer<EchoHeader> answer = client.callBlocking(
                Network.addressOf(server), Echo.ECHO, EchoHeader.of("big", 1), body, network.soon());

        assertThat(Arrays.equals(answer.body(), body)).isTrue();
    }

    @Test
    void aBrokenHelloClosesItsConnectionOnly() throws Exception {
        RemotingServer server = server(TlsMode.PERMISSIVE);
        try (RawPeer peer = new RawPeer(server.boundPort())) {
            peer.send(new byte[] {0x16, 0x03, 0x01, 0, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9});
            assertThat(peer.isClosedByPeer()).isTrue();
        }
        assertThat(echo(server, TlsConfig.OFF)).isTrue();
    }

    @Test
    void aThrowAwayCertificateServesWhoeverTakesAny() throws Exception {
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0).withTls(TlsConfig.throwAway(TlsMode.PERMISSIVE)),
                Echo.table().build());

        assertThat(echo(server, TlsConfig.clientTrustingAll())).isTrue();
        assertThat(echo(server, TlsConfig.OFF)).isTrue();
        assertThat(echo(server, TlsConfig.clientTrustingAll())).isTrue();
        assertThatThrownBy(() -> echo(server, TlsConfig.clientTrusting(own.certificate())))
                .isInstanceOf(RemotingException.ConnectFailed.class);
    }

    @Test
    void aHelloThatStopsHalfwayClosesItsConnectionOnly() throws Exception {
        RemotingServer server = server(TlsMode.PERMISSIVE);
        try (RawPeer half = new RawPeer(server.boundPort())) {
            half.send(new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01});
            half.endSending();
            assertThat(half.isClosedByPeer()).isTrue();
        }
        assertThat(echo(server, TlsConfig.clientTrustingAll())).isTrue();
    }

    @Test
    void renegotiationHarmsNoOtherConnection() throws Exception {
        RemotingServer server = server(TlsMode.PERMISSIVE);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, InsecureTrustManagerFactory.INSTANCE.getTrustManagers(), null);
        try (SSLSocket socket = (SSLSocket)
                context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.boundPort())) {
            socket.setSoTimeout(60_000);
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            socket.startHandshake();
            socket.startHandshake();
            socket.getOutputStream().write(RawPeer.echoFrame(1));
            readToAnyEnd(socket);
        }
        assertThat(echo(server, TlsConfig.clientTrustingAll())).isTrue();
        assertThat(echo(server, TlsConfig.OFF)).isTrue();
    }

    /** An answer, the end, or a reset: each is fine for the connection that asked for it. */
    private static void readToAnyEnd(SSLSocket socket) {
        try {
            assertThat(socket.getInputStream().read()).isGreaterThanOrEqualTo(-1);
        } catch (IOException e) {
            assertThat(e).isNotInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void anEncryptedKeyIsReadWithItsPassword() throws Exception {
        Path encrypted = own.encryptedKey("secret");
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0)
                        .withTls(TlsConfig.server(TlsMode.ENFORCING, own.certificate(), own.key())
                                .showing(own.certificate(), encrypted, "secret")),
                Echo.table().build());

        assertThat(echo(server, TlsConfig.clientTrusting(own.certificate()))).isTrue();
        refusesKey(encrypted, "wrong", "tls.server.keyPath=" + encrypted, "cannot be decrypted");
        refusesKey(encrypted, null, "tls.server.keyPath=" + encrypted, "is encrypted");
    }

    @Test
    void aCertificateThatCannotServeStopsTheStartBySettingAndFile() throws Exception {
        Path missing = folder.resolve("missing.crt");
        Path garbage = Files.writeString(folder.resolve("garbage.crt"), "no certificate");
        TestCertificate old = TestCertificate.expiredIn(folder, "old");

        refuses(missing, own.key(), "tls.server.certPath=" + missing, "cannot be read");
        refuses(folder, own.key(), "tls.server.certPath=" + folder, "cannot be");
        refuses(garbage, own.key(), "tls.server.certPath=" + garbage, "holds no PEM certificate");
        refuses(old.certificate(), old.key(), "tls.server.certPath=" + old.certificate(), "expired at");
        refuses(own.certificate(), missing, "tls.server.keyPath=" + missing, "cannot be read");
        refuses(own.certificate(), garbage, "tls.server.keyPath=" + garbage, "holds no PEM private key");
        refuses(own.certificate(), foreign.key(), "tls.server.keyPath=" + foreign.key(), "does not belong");
    }

    @Test
    void rootsThatCannotBeReadStopTheStartBySettingAndFile() {
        Path missing = folder.resolve("missing.pem");
        for (TlsConfig config : List.of(
                TlsConfig.server(TlsMode.ENFORCING, own.certificate(), own.key())
                        .askingClients(TlsConfig.ClientAuth.REQUIRE, missing),
                TlsConfig.throwAway(TlsMode.ENFORCING).askingClients(TlsConfig.ClientAuth.REQUIRE, missing))) {
            refuses(config, "tls.server.trustCertPath=" + missing, "cannot be read");
        }
    }

    private void refuses(Path certificate, Path key, String setting, String reason) {
        refuses(TlsConfig.server(TlsMode.PERMISSIVE, certificate, key), setting, reason);
    }

    private void refusesKey(Path key, @Nullable String password, String setting, String reason) {
        refuses(
                TlsConfig.server(TlsMode.PERMISSIVE, own.certificate(), own.key())
                        .showing(own.certificate(), key, password),
                setting,
                reason);
    }

    private void refuses(TlsConfig config, String setting, String reason) {
        assertThatThrownBy(() -> network.server(ServerConfig.of("127.0.0.1", 0).withTls(config), HandlerTable.empty()))
                .isInstanceOf(RemotingException.BindFailed.class)
                .hasMessageContaining(setting)
                .hasMessageContaining(reason);
    }

    private RemotingServer server(TlsMode mode) throws RemotingException {
        return network.server(
                ServerConfig.of("127.0.0.1", 0).withTls(TlsConfig.server(mode, own.certificate(), own.key())),
                Echo.table().build());
    }

    private boolean echo(RemotingServer server, TlsConfig tls) throws Exception {
        try (RemotingClient client = network.client(ClientConfig.DEFAULT.withTls(tls))) {
            return client.callBlocking(
                            Network.addressOf(server), Echo.ECHO, EchoHeader.of("x", 1), null, network.soon())
                    .isOk();
        }
    }
}
