package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.Transport;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A listening socket. */
@ThreadSafe
final class NettyPort implements Transport.OpenPort {
    private final Channel channel;
    private final InetSocketAddress address;
    private final @Nullable ServerTls tls;

    /** @param tls null where nothing is encrypted */
    NettyPort(Channel channel, @Nullable ServerTls tls) {
        this.channel = channel;
        this.tls = tls;
        this.address = (InetSocketAddress) channel.localAddress();
    }

    @Override
    public InetSocketAddress address() {
        return address;
    }

    @Override
    public CompletableFuture<?> prepareTls() {
        return tls == null ? CompletableFuture.completedFuture(this) : tls.forNewConnection();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
    }
}
