package dev.perigee.remoting;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.FieldCursor;
import dev.perigee.protocol.frame.FrameHeader;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.Language;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.transport.Payload;
import java.nio.ByteBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its reply, in one object. The request side belongs to the event loop; the reply may be given by any
 * thread, which then passes the object through the loop's tray.
 *
 * @param <Q> request header type
 * @param <R> response header type
 */
@OwnedBy("event loop, then whoever replies")
final class Exchange<Q extends Record, R extends Record> implements Request<Q>, Reply<R>, LoopDesk.Outgoing {
    private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0).asReadOnlyBuffer();

    @SuppressWarnings("rawtypes") // a field updater knows no type parameters
    private static final AtomicIntegerFieldUpdater<Exchange> REPLIED =
            AtomicIntegerFieldUpdater.newUpdater(Exchange.class, "replied");

    private final Session session;
    private final Rpc<Q, R> rpc;
    private final Q header;
    private final int opaque;
    private final int version;
    private final Language language;
    private final HeaderSerialization serialization;
    private final boolean oneway;
    private final long arrivedMs;
    private @Nullable FrameHeader frame;
    private @Nullable ByteBuffer lent;
    private int bodyAt;
    private int bodyBytes;
    private volatile int replied;
    private int replyCode;
    private @Nullable String replyRemark;
    private @Nullable R replyHeader;
    private @Nullable Payload replyBody;

    Exchange(Session session, Rpc<Q, R> rpc, Q header, FrameHeader frame, long arrivedMs) {
        this.session = session;
        this.rpc = rpc;
        this.header = header;
        this.frame = frame;
        this.opaque = frame.opaque();
        this.version = frame.version();
        this.language = frame.language();
        this.serialization = frame.serialization();
        this.oneway = frame.isOneway();
        this.arrivedMs = arrivedMs;
    }

    /** Lends the body, which lies in a read-only buffer, until {@link #takeBack}. */
    void lendBody(ByteBuffer source, int at, int sizeBytes) {
        lent = source;
        bodyAt = at;
        bodyBytes = sizeBytes;
    }

    /** What lies in buffers of the event loop is no more to be read: the body, and the fields. */
    void takeBack() {
        lent = null;
        frame = null;
    }

    @Override
    public Q header() {
        return header;
    }

    @Override
    public FieldCursor fields() {
        FrameHeader lentHeader = frame;
        if (lentHeader == null) {
            throw new IllegalStateException("the fields of " + this + " were asked for after its handler had returned");
        }
        return lentHeader.fields();
    }

    @Override
    public ByteBuffer body() {
        return bodyBytes == 0 ? EMPTY : lentBody().slice(bodyAt, bodyBytes);
    }

    @Override
    public byte[] copyBody() {
        byte[] copy = new byte[bodyBytes];
        if (bodyBytes > 0) {
            lentBody().get(bodyAt, copy);
        }
        return copy;
    }

    @Override
    public Connection from() {
        return session;
    }

    @Override
    public int code() {
        return rpc.code();
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public Language language() {
        return language;
    }

    @Override
    public boolean oneway() {
        return oneway;
    }

    @Override
    public long arrivedMs() {
        return arrivedMs;
    }

    @Override
    public void send(int code, @Nullable String remark, @Nullable R header, @Nullable Payload body) {
        if (!REPLIED.compareAndSet(this, 0, 1)) {
            session.countRepeatedReply();
            release(body);
        } else if (oneway) {
            session.countAnswer();
            release(body);
        } else {
            session.countAnswer();
            replyCode = code;
            replyRemark = remark;
            replyHeader = header;
            replyBody = body;
            session.send(this);
        }
    }

    @Override
    public void failed(RuntimeException cause) {
        if (session.mayLogFailure()) {
            LOG.error("event=request_failed request={} remote={}", rpc, session.remoteAddress(), cause);
        }
        if (replied == 0) {
            fail(ResponseCode.SYSTEM_ERROR, cause.toString());
        }
    }

    @Override
    public void resume(Runnable step) {
        try {
            session.later(() -> guard(step));
        } catch (RejectedExecutionException e) {
            LOG.debug("event=request_dropped request={} reason=\"the event loops have stopped\"", rpc, e);
        }
    }

    @Override
    public void write() {
        CommandHead head = CommandHead.response(replyCode, opaque, replyRemark, serialization);
        R responseHeader = replyHeader;
        Payload body = replyBody;
        replyBody = null;
        replyHeader = null;
        session.outlet()
                .answer(
                        head,
                        responseHeader == null ? null : sink -> rpc.response().encode(responseHeader, sink),
                        body);
    }

    @Override
    public void drop() {
        release(replyBody);
        replyBody = null;
    }

    /** A peer that waits for an answer that does not come is better off with a closed connection. */
    @Override
    public void notWritten(Throwable cause) {
        drop();
        if (session.mayLogFailure()) {
            LOG.error("event=answer_not_written request={} remote={}", rpc, session.remoteAddress(), cause);
        }
        session.close("an answer could not be written: " + cause);
    }

    @Override
    public String toString() {
        return rpc + " from " + session.remoteAddress();
    }

    private ByteBuffer lentBody() {
        ByteBuffer source = lent;
        if (source == null) {
            throw new IllegalStateException("the body of " + this + " was asked for after its handler had returned");
        }
        return source;
    }

    private static void release(@Nullable Payload body) {
        if (body != null) {
            body.release();
        }
    }
}
