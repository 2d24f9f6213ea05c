package dev.perigee.faults.machine;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * For machines that allow no namespaces: nodes listen on loopback addresses of their own, others reach them through a proxy on another one.
 * So a cable is what others say to the node and hear from it over connections they opened; what the node asks of others is not on it.
 */
final class Loopback implements Network {
    private static final String LISTENING = "127.0.71.";
    private static final String KNOWN = "127.0.72.";

    private final String reason;
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final List<TcpProxy> proxies = new ArrayList<>();
    private int nodes;

    Loopback(String reason) {
        this.reason = reason;
    }

    @Override
    public String description() {
        return "loopback addresses and a proxy (" + reason.strip() + ")";
    }

    @Override
    public String hostAddress() {
        return "127.0.0.1";
    }

    @Override
    public Cable attach(int... ports) throws IOException {
        nodes++;
        List<TcpProxy> own = new ArrayList<>();
        for (int port : ports) {
            TcpProxy proxy = new TcpProxy(
                    loops, new InetSocketAddress(KNOWN + nodes, port), new InetSocketAddress(LISTENING + nodes, port));
            proxies.add(proxy);
            own.add(proxy);
        }
        return new ProxiedCable(KNOWN + nodes, LISTENING + nodes, own);
    }

    @Override
    public void close() {
        proxies.forEach(TcpProxy::close);
        Future<?> unused = loops.shutdownGracefully().awaitUninterruptibly();
    }

    private record ProxiedCable(String address, String listenAddress, List<TcpProxy> proxies) implements Cable {
        @Override
        public List<String> runner() {
            return List.of();
        }

        @Override
        public void unplug() {
            proxies.forEach(proxy -> proxy.cut(true));
        }

        @Override
        public void plug() {
            proxies.forEach(proxy -> proxy.cut(false));
        }

        @Override
        public void lose(Direction direction, int percent) {
            proxies.forEach(proxy -> proxy.hold(direction));
        }

        @Override
        public void loseNothing() {
            proxies.forEach(TcpProxy::holdNothing);
        }

        @Override
        public boolean knowsWhoSpeaks() {
            return false;
        }

        @Override
        public void hearNothingFrom(Collection<Cable> others) {
            if (!others.isEmpty()) {
                throw new UnsupportedOperationException("a proxy does not know who speaks");
            }
        }

        @Override
        public void resetConnectionsOf(Collection<Cable> others) {
            hearNothingFrom(others);
        }

        @Override
        public void limit(long bytesPerSecond) {
            proxies.forEach(proxy -> proxy.limit(bytesPerSecond));
        }

        @Override
        public void unlimit() {
            proxies.forEach(proxy -> proxy.limit(0));
        }
    }
}
