package dev.perigee.remoting.netty;

import dev.perigee.remoting.transport.LinkOptions;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;

/** The options every socket gets. */
final class SocketOptions {
    private static final int BACKLOG = 1024;
    private static final int MIN_READ_BYTES = 512;
    private static final int FIRST_READ_BYTES = 4 << 10;
    /** Most bytes of one read from a socket. */
    static final int MAX_READ_BYTES = 64 << 10;

    private SocketOptions() {}

    static void apply(Bootstrap bootstrap, LinkOptions options) {
        bootstrap
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, options.connectTimeoutMs())
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.ALLOCATOR, allocator())
                .option(ChannelOption.RECVBUF_ALLOCATOR, reads())
                .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark(options));
    }

    static void apply(ServerBootstrap bootstrap, LinkOptions options) {
        bootstrap
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.ALLOCATOR, allocator())
                .childOption(ChannelOption.RECVBUF_ALLOCATOR, reads())
                .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark(options));
    }

    private static ByteBufAllocator allocator() {
        return PooledByteBufAllocator.DEFAULT;
    }

    private static AdaptiveRecvByteBufAllocator reads() {
        return new AdaptiveRecvByteBufAllocator(MIN_READ_BYTES, FIRST_READ_BYTES, MAX_READ_BYTES);
    }

    private static WriteBufferWaterMark waterMark(LinkOptions options) {
        return new WriteBufferWaterMark(options.lowWaterBytes(), options.highWaterBytes());
    }
}
