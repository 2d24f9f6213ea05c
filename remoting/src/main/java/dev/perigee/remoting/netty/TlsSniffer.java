package dev.perigee.remoting.netty;

import dev.perigee.loop.OwnedBy;
import dev.perigee.remoting.transport.TlsMode;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides by the first byte of a connection whether it is encrypted: a TLS hello starts with 0x16, a frame with 0x00 or
 * 0x01, the top byte of its length (remoting protocol §4). Then it leaves the pipeline.
 */
@OwnedBy("event loop")
final class TlsSniffer extends ChannelInboundHandlerAdapter {
    private static final int TLS_HANDSHAKE_RECORD = 0x16;
    private static final Logger LOG = LoggerFactory.getLogger(TlsSniffer.class);

    private final SslContext tls;
    private final TlsMode mode;
    private final long handshakeTimeoutMs;

    TlsSniffer(SslContext tls, TlsMode mode, long handshakeTimeoutMs) {
        this.tls = tls;
        this.mode = mode;
        this.handshakeTimeoutMs = handshakeTimeoutMs;
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // channelInactive tells when it is closed
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (!bytes.isReadable()) {
            bytes.release();
        } else if (bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE_RECORD) {
            SslHandler handler = tls.newHandler(ctx.alloc());
            handler.setHandshakeTimeoutMillis(handshakeTimeoutMs);
            ctx.pipeline().addAfter(ctx.name(), "tls", handler);
            pass(ctx, bytes);
        } else if (mode == TlsMode.ENFORCING) {
            bytes.release();
            LOG.warn(
                    "event=plain_connection_refused remote={} reason=tls_enforced",
                    ctx.channel().remoteAddress());
            ctx.close();
        } else {
            pass(ctx, bytes);
        }
    }

    private void pass(ChannelHandlerContext ctx, ByteBuf bytes) {
        ctx.fireChannelRead(bytes);
        ctx.pipeline().remove(this);
    }
}
