package dev.perigee.remoting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.remoting.call.Answer;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
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
        assertThatThrownBy(() -> echo(server, TlsConfig.OFF)).isInstanceOf(RemotingException.ConnectionClosed.class);
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
                .hasMessageContaining(Network.addressOf(server));
        assertThat(echo(server, TlsConfig.OFF)).isTrue();
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
        TlsConfig config = new TlsConfig(
                TlsMode.ENFORCING, own.certificate(), own.key(), null, TlsConfig.Trust.FILE, foreign.certificate());
        RemotingServer server = network.server(
                ServerConfig.of("127.0.0.1", 0).withTls(config), Echo.table().build());
        TlsConfig withCertificate = new TlsConfig(
                TlsMode.ENFORCING, foreign.certificate(), foreign.key(), null, TlsConfig.Trust.FILE, own.certificate());

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
    void aCertificateThatCannotBeReadStopsTheStartByName() {
        Path missing = folder.resolve("missing.crt");
        TlsConfig config = TlsConfig.server(TlsMode.PERMISSIVE, missing, own.key());

        assertThatThrownBy(() -> network.server(ServerConfig.of("127.0.0.1", 0).withTls(config), HandlerTable.empty()))
                .isInstanceOf(RemotingException.BindFailed.class)
                .hasMessageContaining(missing.toString());
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
