package dev.perigee.remoting.netty;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.FaultLog;
import dev.perigee.remoting.transport.TlsMode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides by the first byte of a connection whether it is encrypted: a TLS hello starts with 0x16, a frame with 0x00 or
 * 0x01, the top byte of its length (remoting protocol §4). Then it leaves the pipeline. While the certificate is being
 * made or looked at, it reads nothing further and keeps what came.
 */
@OwnedBy("event loop")
final class TlsSniffer extends ChannelInboundHandlerAdapter {
    private static final int TLS_HANDSHAKE_RECORD = 0x16;
    private static final Logger LOG = LoggerFactory.getLogger(TlsSniffer.class);

    private final ServerTls tls;
    private final TlsMode mode;
    private final long handshakeTimeoutMs;
    private final FaultLog faults;
    private final Deque<ByteBuf> held = new ArrayDeque<>(); // what one burst of reads brings, then reading is off
    private boolean waiting;

    TlsSniffer(ServerTls tls, TlsMode mode, long handshakeTimeoutMs, FaultLog faults) {
        this.tls = tls;
        this.mode = mode;
        this.handshakeTimeoutMs = handshakeTimeoutMs;
        this.faults = faults;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // channelInactive tells when it is closed
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (waiting) {
            held.add(bytes);
        } else if (!bytes.isReadable()) {
            bytes.release();
        } else if (bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE_RECORD) {
            held.add(bytes);
            encrypt(ctx);
        } else if (mode == TlsMode.ENFORCING) {
            bytes.release();
            if (faults.mayLog()) {
                LOG.warn(
                        "event=plain_connection_refused remote={} reason=tls_enforced",
                        ctx.channel().remoteAddress());
            }
            ctx.close();
        } else {
            ctx.fireChannelRead(bytes);
            ctx.pipeline().remove(this);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        while (!held.isEmpty()) {
            held.remove().release();
        }
    }

    private void encrypt(ChannelHandlerContext ctx) {
        CompletableFuture<SslContext> context = tls.forNewConnection();
        if (context.isDone() && !context.isCompletedExceptionally()) {
            begin(ctx, context.join());
            return;
        }
        waiting = true;
        ctx.channel().config().setAutoRead(false);
        CompletableFuture<?> unused =
                context.whenComplete((made, failure) -> ctx.executor().execute(() -> goOn(ctx, made, failure)));
    }

    @SuppressWarnings("FutureReturnValueIgnored") // channelInactive tells when it is closed
    private void goOn(ChannelHandlerContext ctx, @Nullable SslContext made, @Nullable Throwable failure) {
        if (ctx.isRemoved()) {
            return;
        }
        if (made == null) {
            if (faults.mayLog()) {
                LOG.error(
                        "event=tls_refused remote={} reason=no_certificate",
                        ctx.channel().remoteAddress(),
                        failure);
            }
            ctx.close();
            return;
        }
        begin(ctx, made);
    }

    private void begin(ChannelHandlerContext ctx, SslContext context) {
        SslHandler handler = context.newHandler(ctx.alloc());
        handler.setHandshakeTimeoutMillis(handshakeTimeoutMs);
        ctx.pipeline().addAfter(ctx.name(), "tls", handler);
        while (!held.isEmpty()) {
            ctx.fireChannelRead(held.remove());
        }
        if (waiting) {
            ctx.fireChannelReadComplete();
            ctx.channel().config().setAutoRead(true);
        }
        ctx.pipeline().remove(this);
    }
}
