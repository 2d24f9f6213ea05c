package dev.perigee.remoting.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.TlsMode;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** A handshake that does not go on ends with its time, not with the server. */
final class HandshakeLimitTest {
    private static final int LIMIT_MS = 100;
    private static final int READ_TIMEOUT_MS = 60_000;

    @Test
    void aHandshakeThatStopsHalfwayIsClosedAtItsLimit() throws Exception {
        LinkOptions options = new LinkOptions(2, 1, LIMIT_MS, TlsConfig.throwAway(TlsMode.PERMISSIVE));
        try (EventLoops loops = EventLoops.start("handshake", 1)) {
            Transport.OpenPort port =
                    loops.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), options, Silent::new);
            try (Socket socket =
                    new Socket(port.address().getAddress(), port.address().getPort())) {
                socket.setSoTimeout(READ_TIMEOUT_MS);
                beginHandshake(socket);
            }
            assertThat(port.address().getPort()).isPositive();
            port.close();
        }
    }

    /** Returns when the peer has ended the connection, fails when it does not. */
    private static void beginHandshake(Socket socket) throws IOException {
        try {
            socket.getOutputStream().write(new byte[] {0x16, 0x03, 0x01, 0x02, 0x00, 0x01});
            while (socket.getInputStream().read() >= 0) {
                // an alert may come first
            }
        } catch (SocketException e) {
            assertThat(e).as("ended before all was sent").hasMessageMatching("(?i).*(reset|broken pipe|closed).*");
        }
    }

    private static final class Silent implements LinkEvents {
        @Override
        public void opened(Link link) {}

        @Override
        public int received(ByteBuffer bytes) {
            return 0;
        }

        @Override
        public void burstEnded() {}

        @Override
        public void writableAgain() {}

        @Override
        public void closed(String reason) {}
    }
}
