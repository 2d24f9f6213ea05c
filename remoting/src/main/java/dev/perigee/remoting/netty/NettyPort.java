package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.Transport;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;

/** A listening socket. */
@ThreadSafe
final class NettyPort implements Transport.OpenPort {
    private final Channel channel;
    private final InetSocketAddress address;

    NettyPort(Channel channel) {
        this.channel = channel;
        this.address = (InetSocketAddress) channel.localAddress();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
    }
}
