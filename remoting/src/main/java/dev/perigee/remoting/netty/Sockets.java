package dev.perigee.remoting.netty;

import dev.perigee.loop.Immutable;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;

/** One kind of sockets the operating system offers. */
@Immutable
record Sockets(
        String name,
        IoHandlerFactory ioHandlers,
        ChannelFactory<Channel> channels,
        ChannelFactory<ServerChannel> serverChannels) {
    /** True forces NIO even where epoll is available. */
    static final String FORCE_NIO_PROPERTY = "perigee.remoting.nio";

    static Sockets best() {
        return !Boolean.getBoolean(FORCE_NIO_PROPERTY) && Epoll.isAvailable() ? epoll() : nio();
    }

    private static Sockets epoll() {
        return new Sockets(
                "epoll", EpollIoHandler.newFactory(), EpollSocketChannel::new, EpollServerSocketChannel::new);
    }

    static Sockets nio() {
        return new Sockets("nio", NioIoHandler.newFactory(), NioSocketChannel::new, NioServerSocketChannel::new);
    }
}
