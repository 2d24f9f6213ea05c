package dev.perigee.broker;

import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Finds a port for a broker that was told to take any: its address stands in everything it stores, so it is needed first. */
final class FreePort {
    private static final int CONNECT_TIMEOUT_MS = 3_000;

    private FreePort() {}

    static int find(Transport transport, String host) throws IOException {
        LinkOptions options = new LinkOptions(
                ConnectionLimits.DEFAULT.highWaterBytes(),
                ConnectionLimits.DEFAULT.lowWaterBytes(),
                CONNECT_TIMEOUT_MS,
                TlsConfig.OFF);
        Transport.OpenPort port = transport.bind(new InetSocketAddress(host, 0), options, Closing::new);
        int number = port.address().getPort();
        port.close();
        return number;
    }

    /** Whoever connects in between is sent away. */
    private static final class Closing implements LinkEvents {
        @Override
        public void opened(Link link) {
            link.close();
        }

        @Override
        public int received(ByteBuffer bytes) {
            bytes.position(bytes.limit());
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
