package dev.perigee.remoting.netty;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.call.RemotingException;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.LinkEvents;
import dev.perigee.remoting.transport.LoopExecutor;
import dev.perigee.remoting.transport.Payload;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A link over one socket: the last handler of its pipeline. */
@OwnedBy("event loop")
final class NettyLink extends ChannelInboundHandlerAdapter implements Link {
    /** When a link counts as open. */
    enum OpensWhen {
        CONNECTED,
        TLS_AGREED
    }

    private static final Logger LOG = LoggerFactory.getLogger(NettyLink.class);
    private static final InetSocketAddress NOWHERE = InetSocketAddress.createUnresolved("unknown", 0);

    private final Channel channel;
    private final LoopExecutor loop;
    private final LinkEvents events;
    private final OpensWhen opensWhen;
    private final Consumer<Throwable> failedToOpen;
    private final FaultLog faults;
    private final Inflow inflow;
    private final Outflow outflow;
    private volatile InetSocketAddress remote = NOWHERE;
    private volatile InetSocketAddress local = NOWHERE;
    private final boolean plainConnecting;
    private boolean reached;
    private boolean opened;
    private boolean heard;
    private boolean paused;
    private boolean ended;
    private @Nullable Throwable failure;

    /**
     * What all links of a group of event loops share.
     *
     * @param faults what is logged of their faults
     * @param unfinished the memory of frames that have not come whole
     * @param unsent the memory of what waits to be sent; none where that is limited by who sends
     */
    record Shared(
            FaultLog faults,
            UnfinishedFrames unfinished,
            @Nullable UnsentBytes unsent) {
        /** The same for links that this side opens: its own calls are limited each. */
        Shared forConnecting() {
            return new Shared(faults, unfinished, null);
        }

        boolean connects() {
            return unsent == null;
        }
    }

    /**
     * @param failedToOpen told when the channel connects but never becomes an open link
     */
    NettyLink(
            Channel channel,
            LoopExecutor loop,
            LinkEvents events,
            OpensWhen opensWhen,
            Consumer<Throwable> failedToOpen,
            Shared shared) {
        this.channel = channel;
        this.loop = loop;
        this.events = events;
        this.opensWhen = opensWhen;
        this.failedToOpen = failedToOpen;
        this.faults = shared.faults();
        this.plainConnecting = shared.connects() && opensWhen == OpensWhen.CONNECTED;
        this.inflow = new Inflow(
                channel.alloc(),
                events,
                shared.unfinished(),
                reason -> loop.execute(() -> giveUp("unfinished_frame_dropped", reason)));
        this.outflow = new Outflow(channel, shared.unsent(), this::giveUpUnsent);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (opensWhen == OpensWhen.CONNECTED) {
            open();
        } else {
            reached = true;
            events.agreeing();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslHandshakeCompletionEvent handshake) {
            if (!handshake.isSuccess()) {
                fail(handshake.cause());
            } else if (opensWhen == OpensWhen.TLS_AGREED) {
                open();
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        heard = true;
        inflow.add((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (opened && !ended) {
            events.burstEnded();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (opened && !ended && channel.isWritable()) {
            events.writableAgain();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        Throwable root = cause instanceof DecoderException && cause.getCause() != null ? cause.getCause() : cause;
        if (root instanceof SSLException) {
            if (faults.mayLog()) {
                LOG.warn("event=tls_failed remote={} reason=\"{}\"", channel.remoteAddress(), root.getMessage());
            }
        } else if (!(root instanceof IOException) && faults.mayLog()) {
            LOG.error("event=connection_failed remote={}", channel.remoteAddress(), root);
        }
        fail(root);
    }

    @Override
    public InetSocketAddress remote() {
        return remote;
    }

    @Override
    public InetSocketAddress local() {
        return local;
    }

    @Override
    public LoopExecutor loop() {
        return loop;
    }

    @Override
    public void write(byte[] head, int headSizeBytes, @Nullable Payload body) {
        outflow.write(head, headSizeBytes, body);
    }

    @Override
    public void flush() {
        outflow.flush();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public long queuedBytes() {
        return outflow.queuedBytes();
    }

    @Override
    public void pauseReading() {
        paused = true;
        channel.config().setAutoRead(false);
    }

    @Override
    public void resumeReading() {
        paused = false;
        inflow.deliver();
        if (!paused && !ended) {
            channel.config().setAutoRead(true);
        }
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // channelInactive tells when it is closed
    public void close() {
        channel.close();
    }

    @Override
    public void closeWhenSent(long timeoutMs) {
        loop.execute(() -> {
            outflow.flush();
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            loop.schedule(timeoutMs, this::close);
        });
    }

    private void open() {
        if (!opened && !ended) {
            opened = true;
            remote = addressOf(channel.remoteAddress());
            local = addressOf(channel.localAddress());
            events.opened(this);
        }
    }

    private void giveUp(String event, String reason) {
        if (failure == null && !ended) {
            if (faults.mayLog()) {
                LOG.warn("event={} remote={} reason=\"{}\"", event, channel.remoteAddress(), reason);
            }
            fail(new IOException(reason));
        }
    }

    /** At once on its own event loop, where much more could be written before a task's turn comes. Any thread. */
    private void giveUpUnsent(String reason) {
        if (loop.inLoop()) {
            giveUp("unsent_answers_dropped", reason);
            outflow.end();
        } else {
            loop.execute(() -> giveUpUnsent(reason));
        }
    }

    private void fail(Throwable cause) {
        if (failure == null && !(cause instanceof ClosedChannelException && ended)) {
            failure = cause;
        }
        close();
    }

    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        inflow.end();
        outflow.end();
        Throwable cause = failure;
        if (opened) {
            events.closed(closedBecause(cause));
        } else {
            failedToOpen.accept(reached ? notAgreed(cause) : cause == null ? new ClosedChannelException() : cause);
        }
    }

    private String closedBecause(@Nullable Throwable cause) {
        String reason = cause == null ? "closed by the peer" : reasonOf(cause);
        boolean perhapsWantsTls = plainConnecting && !heard && (cause == null || cause instanceof IOException);
        return perhapsWantsTls ? reason + " before it sent anything, " + RemotingException.TLS_WANTED : reason;
    }

    private static IOException notAgreed(@Nullable Throwable cause) {
        String reason = cause == null || cause instanceof ClosedChannelException
                ? "the peer closed the connection, as a port does that takes no TLS"
                : reasonOf(cause);
        return new IOException("no TLS was agreed on: " + reason, cause);
    }

    private static String reasonOf(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }

    private static InetSocketAddress addressOf(@Nullable SocketAddress address) {
        return address instanceof InetSocketAddress inet ? inet : NOWHERE;
    }
}
