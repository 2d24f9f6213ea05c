package dev.perigee.faults.machine;

import dev.perigee.faults.machine.Cable.Direction;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.traffic.GlobalTrafficShapingHandler;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Passes bytes on between those who connect to one address and a server at another, and stops doing so on demand: what is held back waits
 * unread in the buffers of the sockets, and nobody is told, not even that the other end has gone. Thread-safe.
 */
final class TcpProxy implements AutoCloseable {
    private final InetSocketAddress server;
    private final GlobalTrafficShapingHandler shaping;
    private final Set<Direction> held = Collections.synchronizedSet(EnumSet.noneOf(Direction.class));
    private final Set<Relay> relays = ConcurrentHashMap.newKeySet();
    private final Channel listener;
    private volatile boolean isCut;

    /** Listens at {@code known} for the server at {@code server}. */
    TcpProxy(EventLoopGroup loops, InetSocketAddress known, InetSocketAddress server) throws IOException {
        this.server = server;
        this.shaping = new GlobalTrafficShapingHandler(loops.next(), 0, 0);
        ChannelFuture bind = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel client) {
                        connect(client);
                    }
                })
                .bind(known)
                .awaitUninterruptibly();
        if (!bind.isSuccess()) {
            throw new IOException("cannot listen on " + known, bind.cause());
        }
        listener = bind.channel();
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    private void connect(SocketChannel client) {
        Relay incoming = new Relay(Direction.INCOMING);
        Relay outgoing = new Relay(Direction.OUTGOING);
        incoming.other = outgoing;
        outgoing.other = incoming;
        client.pipeline().addLast(shaping, incoming);
        ChannelFuture connected = new Bootstrap()
                .group(client.eventLoop())
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .handler(outgoing)
                .connect(server);
        ChannelFuture unused = connected.addListener(done -> {
            if (done.isSuccess()) {
                relays.add(incoming);
                relays.add(outgoing);
                incoming.update();
                outgoing.update();
            } else {
                incoming.close();
            }
        });
    }

    /** Holds everything back, or what is not held for another reason no longer. Blocks until it is so; not on an event loop. */
    void cut(boolean cut) {
        isCut = cut;
        updateAll();
    }

    /** Holds back what goes that way. Blocks until it is so; not on an event loop. */
    void hold(Direction direction) {
        held.add(direction);
        updateAll();
    }

    /** Takes back every {@link #hold}. Blocks until it is so; not on an event loop. */
    void holdNothing() {
        held.clear();
        updateAll();
    }

    /** By the event loops, which read until they have done it. Ends that connect meanwhile look by themselves. */
    private void updateAll() {
        List<Future<?>> updates = new ArrayList<>();
        for (Relay relay : relays) {
            Channel channel = relay.channel;
            if (channel != null) {
                updates.add(channel.eventLoop().submit(relay::update));
            }
        }
        for (Future<?> update : updates) {
            Future<?> unused = update.syncUninterruptibly();
        }
    }

    /** Passes on no more than that each way; 0 for no limit. */
    void limit(long bytesPerSecond) {
        shaping.configure(bytesPerSecond, bytesPerSecond);
    }

    @Override
    public void close() {
        ChannelFuture unused = listener.close().awaitUninterruptibly();
        relays.forEach(Relay::close);
        shaping.release();
    }

    /** Reads one end and writes to the other; owned by the event loop both ends share. */
    private final class Relay extends ChannelInboundHandlerAdapter {
        private final Direction direction;
        private @Nullable Relay other;
        private volatile @Nullable Channel channel;

        Relay(Direction direction) {
            this.direction = direction;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            channel = context.channel();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            Channel target = other().channel;
            if (target == null) {
                throw new IllegalStateException("read before both ends were there");
            }
            ChannelFuture unused = target.writeAndFlush(bytes).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        }

        /** This end takes no more, or takes more again. */
        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            other().update();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            relays.remove(this);
            other().close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            ChannelFuture unused = context.close();
        }

        private Relay other() {
            if (other == null) {
                throw new IllegalStateException("a relay without its other end");
            }
            return other;
        }

        /** On the event loop. */
        void update() {
            Channel own = channel;
            Channel target = other().channel;
            if (own != null && target != null) {
                own.config().setAutoRead(!isCut && !held.contains(direction) && target.isWritable());
            }
        }

        void close() {
            Channel own = channel;
            if (own != null) {
                ChannelFuture unused = own.close();
            }
        }
    }
}
