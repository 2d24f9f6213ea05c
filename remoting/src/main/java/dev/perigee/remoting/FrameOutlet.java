package dev.perigee.remoting;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.frame.CommandHead;
import dev.perigee.protocol.frame.FieldSink;
import dev.perigee.protocol.frame.FrameCodec;
import dev.perigee.protocol.frame.FrameHeader;
import dev.perigee.protocol.frame.HeaderBuffer;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.rpc.Rpc;
import dev.perigee.remoting.transport.Link;
import dev.perigee.remoting.transport.Payload;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the frames of one connection. Those written while a burst is read are flushed at the end of the burst, others at
 * the end of the loop's turn: once, however many they are.
 */
@OwnedBy("event loop")
final class FrameOutlet {
    /** Whether a request wants an answer. */
    enum Way {
        CALL,
        ONEWAY
    }

    private static final Logger LOG = LoggerFactory.getLogger(FrameOutlet.class);
    /** The largest request code that the binary header can carry. */
    private static final int MAX_BINARY_CODE = Short.MAX_VALUE;

    private final Sessions sessions;
    private final Link link;
    private final LoopDesk desk;
    private boolean bursting;
    private boolean dirty;
    private long flushedMs;

    FrameOutlet(Sessions sessions, Link link, LoopDesk desk) {
        this.sessions = sessions;
        this.link = link;
        this.desk = desk;
        this.flushedMs = sessions.clock().monotonicMs();
    }

    void burstStarted() {
        bursting = true;
    }

    void burstEnded() {
        bursting = false;
        if (dirty) {
            flush();
        }
    }

    void flush() {
        dirty = false;
        flushedMs = sessions.clock().monotonicMs();
        link.flush();
    }

    /** A flush failed: what is queued may be incomplete, so the connection ends. */
    void notFlushed(Throwable cause) {
        if (sessions.failures().mayLog()) {
            LOG.error("event=flush_failed remote={}", link.remote(), cause);
        }
        link.close();
    }

    /** When bytes were last sent, in monotonic milliseconds; the start of the connection before. */
    long flushedMs() {
        return flushedMs;
    }

    /** Whether so much is queued that own requests are refused. */
    boolean isFull() {
        return link.queuedBytes() > sessions.limits().outboundLimitBytes();
    }

    /** Answers a request that reaches no handler; one-way requests get nothing. */
    void refuse(FrameHeader frame, int code, String remark) {
        if (!frame.isOneway()) {
            answer(CommandHead.response(code, frame.opaque(), remark, frame.serialization()), null, null);
        }
    }

    /** Writes an answer and takes its body over. One that cannot be written becomes an answer with code 1. */
    void answer(CommandHead head, @Nullable Consumer<FieldSink> fields, @Nullable Payload body) {
        int bodyBytes = body == null ? 0 : body.sizeBytes();
        HeaderBuffer out;
        try {
            out = encode(head, fields, bodyBytes);
            if (frameLength(out, bodyBytes) > sessions.limits().frameLimitBytes()) {
                throw new IllegalArgumentException("frame length " + frameLength(out, bodyBytes) + ", limit "
                        + sessions.limits().frameLimitBytes());
            }
        } catch (RuntimeException e) {
            if (sessions.failures().mayLog()) {
                LOG.error(
                        "event=answer_failed remote={} code={} bodyBytes={}", link.remote(), head.code(), bodyBytes, e);
            }
            if (body != null) {
                body.release();
            }
            String remark = "the answer cannot be written: " + e.getMessage();
            CommandHead failure =
                    CommandHead.response(ResponseCode.SYSTEM_ERROR, head.opaque(), remark, head.serialization());
            put(encode(failure, null, 0), null, 0);
            return;
        }
        put(out, body, bodyBytes);
    }

    /** Writes a request and takes its body over; false when its frame would be too large. */
    <Q extends Record> boolean request(Rpc<Q, ?> rpc, Q header, @Nullable Payload body, int opaque, Way way) {
        int bodyBytes = body == null ? 0 : body.sizeBytes();
        HeaderBuffer out = null;
        try {
            HeaderBuffer encoded = requestHead(rpc, header, bodyBytes, opaque, way);
            if (frameLength(encoded, bodyBytes) <= sessions.limits().frameLimitBytes()) {
                out = encoded;
            }
        } finally {
            if (body != null && (out == null || bodyBytes == 0)) {
                body.release();
            }
        }
        if (out == null) {
            return false;
        }
        put(out, bodyBytes == 0 ? null : body, bodyBytes);
        return true;
    }

    private <Q extends Record> HeaderBuffer requestHead(Rpc<Q, ?> rpc, Q header, int bodyBytes, int opaque, Way way) {
        HeaderSerialization serialization =
                rpc.code() > MAX_BINARY_CODE ? HeaderSerialization.JSON : sessions.serialization();
        CommandHead head = CommandHead.request(rpc.code(), opaque, way == Way.ONEWAY, serialization);
        return encode(head, sink -> rpc.request().encode(header, sink), bodyBytes);
    }

    private HeaderBuffer encode(CommandHead head, @Nullable Consumer<FieldSink> fields, int bodyBytes) {
        HeaderBuffer out = desk.head();
        FrameCodec.encodeFrameHead(out, head, fields, bodyBytes);
        return out;
    }

    private static long frameLength(HeaderBuffer head, int bodyBytes) {
        return head.length() - FrameCodec.LENGTH_BYTES + (long) bodyBytes;
    }

    private void put(HeaderBuffer head, @Nullable Payload body, int bodyBytes) {
        link.write(head.array(), head.length(), body);
        sessions.counters().bytesOut.add(head.length() + bodyBytes);
        if (!dirty) {
            dirty = true;
            if (!bursting) {
                desk.flushLater(this);
            }
        }
    }
}
