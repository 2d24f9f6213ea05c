package dev.perigee.remoting.netty;

import dev.perigee.loop.OwnedBy;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of the line for failures of a listening port, most often want of file descriptors: netty waits a second after each
 * and accepts again, so this would be a line a second for as long as it lasts. One in {@link #QUIET_MS} is written, the others
 * are counted.
 */
@OwnedBy("event loop")
final class AcceptFaults extends ChannelInboundHandlerAdapter {
    static final long QUIET_MS = 60_000;
    private static final Logger LOG = LoggerFactory.getLogger(AcceptFaults.class);

    private boolean quiet;
    private long unsaid;

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a task that ends with the loop
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (quiet) {
            unsaid++;
            return;
        }
        quiet = true;
        LOG.warn(
                "event=accept_failed port={} effect=connections_wait cause=\"{}\"",
                context.channel().localAddress(),
                cause.toString());
        context.executor().schedule(() -> endQuiet(context), QUIET_MS, TimeUnit.MILLISECONDS);
    }

    private void endQuiet(ChannelHandlerContext context) {
        quiet = false;
        if (unsaid > 0) {
            LOG.warn(
                    "event=accept_failures port={} count={} periodMs={}",
                    context.channel().localAddress(),
                    unsaid,
                    QUIET_MS);
            unsaid = 0;
        }
    }
}
