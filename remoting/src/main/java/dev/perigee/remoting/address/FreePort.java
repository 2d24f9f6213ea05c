package dev.perigee.remoting.address;

import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.ConnectionLimits;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.TlsConfig;
import dev.perigee.remoting.transport.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.List;

/** Finds out whether ports can be opened before anything else is: each is opened for a moment and closed again. */
public final class FreePort {
    private static final int CONNECT_TIMEOUT_MS = 3_000;

    private FreePort() {}

    /** Opens and closes one address; what it gives is the port. */
    private interface Trial {
        int open(InetSocketAddress address) throws IOException;
    }

    /**
     * Checks ports of real sockets. Blocks a moment.
     *
     * @throws ConfigException when a port is wanted twice or a host is none of this machine
     * @throws RemotingException.BindFailed when a port is taken or may not be opened, naming its setting
     */
    public static void check(List<ListenPort> ports) throws RemotingException {
        ListenPort.requireDistinct(ports);
        for (ListenPort port : ports) {
            check(port, FreePort::openSocket);
        }
    }

    /**
     * Checks one port of a transport and gives it, or the one the system chose for 0. Blocks a moment.
     *
     * @throws ConfigException when the host is none of this machine
     * @throws RemotingException.BindFailed when the port is taken or may not be opened, naming its setting
     */
    public static int find(Transport transport, ListenPort port) throws RemotingException {
        return check(port, address -> openPort(transport, address));
    }

    private static int check(ListenPort wanted, Trial trial) throws RemotingException {
        int any;
        try {
            any = trial.open(new InetSocketAddress(wanted.host(), 0));
        } catch (IOException | RuntimeException e) { // unresolved names come as either
            ConfigException refused =
                    new ConfigException(wanted.hostKey(), wanted.host(), "an address of this machine to listen on");
            refused.initCause(e);
            throw refused;
        }
        if (wanted.port() == 0) {
            return any;
        }
        try {
            return trial.open(new InetSocketAddress(wanted.host(), wanted.port()));
        } catch (IOException e) {
            throw new RemotingException.BindFailed(wanted.address() + " (" + wanted.portKey() + ")", e);
        }
    }

    private static int openSocket(InetSocketAddress address) throws IOException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
            return socket.getLocalPort();
        }
    }

    private static int openPort(Transport transport, InetSocketAddress address) throws IOException {
        LinkOptions options = new LinkOptions(
                ConnectionLimits.DEFAULT.highWaterBytes(),
                ConnectionLimits.DEFAULT.lowWaterBytes(),
                CONNECT_TIMEOUT_MS,
                TlsConfig.OFF);
        Transport.OpenPort port = transport.bind(address, options, Closing::new);
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
