package dev.perigee.remoting.netty;

import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LinkOptions;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Transport;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A group of event loops over real sockets, shared by the servers and clients of a process: epoll where it is available,
 * NIO otherwise or when the system property {@code perigee.remoting.nio} is true.
 */
@ThreadSafe
public final class EventLoops implements Transport, AutoCloseable {
    private static final long STOP_TIMEOUT_MS = 5_000;
    /**
     * A client's handshake may take this long at least: the first one of a cold process is slow, and to give it up means to
     * begin anew. Callers have deadlines of their own.
     */
    private static final long HANDSHAKE_LIMIT_MS = 10_000;

    /**
     * Frames that have not come whole, and answers that were not taken, each take this part of the direct memory at most,
     * but never less than two large ones.
     */
    private static final int MEMORY_SHARE = 4;

    private static final long MIN_SHARE_BYTES = 32L << 20;

    private final Sockets sockets;
    private final EventLoopGroup group;
    private final List<NettyLoop> loops;
    private final HostNames hostNames;
    private final TlsContexts tlsContexts;
    private final NettyLink.Shared shared;

    private EventLoops(String name, int count, Sockets sockets, long shareBytes) {
        this.sockets = sockets;
        this.group = new MultiThreadIoEventLoopGroup(count, threads(name), sockets.ioHandlers());
        this.loops = new ArrayList<>();
        for (EventExecutor executor : group) {
            loops.add(new NettyLoop((EventLoop) executor, loops.size()));
        }
        this.hostNames = new HostNames(name + "-names");
        this.tlsContexts = new TlsContexts(name + "-tls", System::nanoTime);
        this.shared = new NettyLink.Shared(
                new FaultLog(name + "_sockets", Clock.system()),
                new UnfinishedFrames(shareBytes, System::nanoTime),
                new UnsentBytes(shareBytes, System::nanoTime));
    }

    /** Starts that many loops, with threads called {@code name-0}, {@code name-1} and so on. */
    public static EventLoops start(String name, int count) {
        return start(name, count, Sockets.best());
    }

    static EventLoops start(String name, int count, Sockets sockets) {
        long share = PlatformDependent.maxDirectMemory() / MEMORY_SHARE;
        return start(name, count, sockets, Math.max(MIN_SHARE_BYTES, share));
    }

    /** As {@link #start(String, int)}, with one limit for {@link UnfinishedFrames} and for {@link UnsentBytes}. */
    static EventLoops start(String name, int count, Sockets sockets, long shareBytes) {
        return new EventLoops(name, count, sockets, shareBytes);
    }

    /** Starts one loop for two cores, at least one (ADR 0031). */
    public static EventLoops start(String name) {
        return start(name, loopsFor(Runtime.getRuntime().availableProcessors()));
    }

    static int loopsFor(int cores) {
        return Math.max(1, cores / 2);
    }

    /** {@code epoll} or {@code nio}. */
    public String kind() {
        return sockets.name();
    }

    @Override
    public int loopCount() {
        return loops.size();
    }

    @Override
    public LoopExecutor loop(int index) {
        return loops.get(index);
    }

    @Override
    public OpenPort bind(InetSocketAddress address, LinkOptions options, Supplier<LinkEvents> acceptor)
            throws IOException {
        ServerTls tls = options.tls().isOn() ? tlsContexts.server(options.tls()) : null;
        ServerBootstrap bootstrap = new ServerBootstrap().group(group).channelFactory(sockets.serverChannels());
        SocketOptions.apply(bootstrap, options);
        bootstrap.childHandler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                prepareAccepted(channel, options, tls, acceptor.get());
            }
        });
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException(bound.cause().getMessage(), bound.cause());
        }
        bound.channel().pipeline().addLast(new AcceptFaults()); // behind netty's acceptor, which is there by now
        return new NettyPort(bound.channel(), tls);
    }

    @Override
    public void connect(InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed) {
        if (!address.isUnresolved()) {
            connectResolved(address, options, events, failed);
            return;
        }
        hostNames.resolve(
                address,
                resolved -> connectResolved(resolved, options, events, failed),
                cause -> loops.get(0).execute(() -> failed.accept(cause)));
    }

    /** Stops all loops. Whoever uses them is closed first. Blocks up to a few seconds; idempotent. */
    @Override
    public void close() {
        hostNames.close();
        tlsContexts.close();
        group.shutdownGracefully(0, STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS)
                .awaitUninterruptibly(STOP_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    private void prepareAccepted(Channel channel, LinkOptions options, @Nullable ServerTls tls, LinkEvents events) {
        if (tls != null) {
            channel.pipeline()
                    .addLast(new TlsSniffer(tls, options.tls().mode(), options.connectTimeoutMs(), shared.faults()));
        }
        channel.pipeline()
                .addLast(new NettyLink(
                        channel, loopOf(channel), events, NettyLink.OpensWhen.CONNECTED, cause -> {}, shared));
    }

    private void connectResolved(
            InetSocketAddress address, LinkOptions options, LinkEvents events, Consumer<Throwable> failed) {
        SslContext tls;
        try {
            tls = options.tls().isOn() ? tlsContexts.client(options.tls()) : null;
        } catch (IOException e) {
            loops.get(0).execute(() -> failed.accept(e));
            return;
        }
        Bootstrap bootstrap = new Bootstrap().group(group).channelFactory(sockets.channels());
        SocketOptions.apply(bootstrap, options);
        bootstrap.handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                if (tls != null) {
                    SslHandler handler = tls.newHandler(channel.alloc(), address.getHostString(), address.getPort());
                    handler.setHandshakeTimeoutMillis(Math.max(options.connectTimeoutMs(), HANDSHAKE_LIMIT_MS));
                    channel.pipeline().addLast("tls", handler);
                }
                NettyLink.OpensWhen when = tls == null ? NettyLink.OpensWhen.CONNECTED : NettyLink.OpensWhen.TLS_AGREED;
                channel.pipeline()
                        .addLast(new NettyLink(channel, loopOf(channel), events, when, failed, shared.forConnecting()));
            }
        });
        bootstrap.connect(address).addListener((ChannelFuture connected) -> {
            if (!connected.isSuccess()) {
                failed.accept(connected.cause());
            }
        });
    }

    private NettyLoop loopOf(Channel channel) {
        for (NettyLoop loop : loops) {
            if (loop.eventLoop() == channel.eventLoop()) {
                return loop;
            }
        }
        throw new IllegalStateException("channel " + channel + " is on a loop of another group");
    }

    private static ThreadFactory threads(String name) {
        AtomicInteger next = new AtomicInteger();
        return task -> {
            Thread thread = new FastThreadLocalThread(task, name + "-" + next.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }
}
