package dev.perigee.remoting;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.frame.BadFieldException;
import dev.perigee.protocol.frame.FrameCodec;
import dev.perigee.protocol.frame.FrameHeader;
import dev.perigee.protocol.frame.HeaderSerialization;
import dev.perigee.protocol.frame.MalformedFrameException;
import dev.perigee.protocol.frame.PeerVersion;
import dev.perigee.protocol.rpc.ResponseCode;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the frames of one connection out of the bytes that arrive, and brings each to its handler or its waiting call. */
@OwnedBy("event loop")
final class FrameIntake {
    private static final Logger LOG = LoggerFactory.getLogger(FrameIntake.class);
    /** First byte of a TLS hello; no frame starts with it. */
    private static final int TLS_HANDSHAKE_RECORD = 0x16;

    private static final int TOP_BYTE_SHIFT = 24;

    private final Session session;
    private final Sessions sessions;
    private final LoopDesk desk;
    private final int frameLimitBytes;
    private long burstMs;

    FrameIntake(Session session, Sessions sessions, LoopDesk desk) {
        this.session = session;
        this.sessions = sessions;
        this.desk = desk;
        this.frameLimitBytes = sessions.limits().frameLimitBytes();
    }

    /**
     * Takes frames until no complete one is left or the session stops taking them.
     *
     * @return bytes the next frame needs, as far as known
     * @throws MalformedFrameException when the bytes are no frame; the connection cannot go on
     */
    int take(ByteBuffer bytes, long nowMs) throws MalformedFrameException {
        burstMs = nowMs;
        ByteBuffer view = bytes.asReadOnlyBuffer();
        int requests = 0;
        int wanted = FrameCodec.PREFIX_BYTES;
        while (session.takesFrames() && bytes.remaining() >= FrameCodec.PREFIX_BYTES) {
            int at = bytes.position();
            int length = checkedLength(bytes.getInt(at));
            int typeAndLength = bytes.getInt(at + FrameCodec.LENGTH_BYTES);
            HeaderSerialization serialization = FrameCodec.serializationOf(typeAndLength);
            int headerBytes = checkedHeaderLength(FrameCodec.headerLengthOf(typeAndLength), length);
            if (bytes.remaining() < FrameCodec.LENGTH_BYTES + length) {
                wanted = FrameCodec.LENGTH_BYTES + length;
                break;
            }
            byte[] scratch = desk.scratch(headerBytes);
            bytes.get(at + FrameCodec.PREFIX_BYTES, scratch, 0, headerBytes);
            FrameHeader frame = FrameCodec.decodeHeader(serialization, scratch, 0, headerBytes);
            int bodyAt = at + FrameCodec.PREFIX_BYTES + headerBytes;
            int bodyBytes = length - FrameCodec.LENGTH_BYTES - headerBytes;
            bytes.position(bodyAt + bodyBytes);
            if (frame.isResponse()) {
                session.answered(frame, view, bodyAt, bodyBytes);
            } else {
                requests++;
                request(frame, view, bodyAt, bodyBytes);
            }
            session.relieve();
        }
        if (requests > 0) {
            sessions.counters().requests.add(requests);
        }
        if (wanted == FrameCodec.PREFIX_BYTES && bytes.remaining() >= FrameCodec.LENGTH_BYTES) {
            checkedLength(bytes.getInt(bytes.position()));
        }
        return wanted;
    }

    private int checkedLength(int length) throws MalformedFrameException {
        if (length >>> TOP_BYTE_SHIFT == TLS_HANDSHAKE_RECORD) {
            throw new MalformedFrameException("a TLS hello on a connection without TLS");
        }
        if (length < FrameCodec.LENGTH_BYTES || length > frameLimitBytes) {
            throw new MalformedFrameException(
                    "frame length " + length + ", accepted " + FrameCodec.LENGTH_BYTES + " to " + frameLimitBytes);
        }
        return length;
    }

    private static int checkedHeaderLength(int headerBytes, int length) throws MalformedFrameException {
        if (headerBytes > length - FrameCodec.LENGTH_BYTES) {
            throw new MalformedFrameException("header length " + headerBytes + " in a frame of length " + length);
        }
        return headerBytes;
    }

    private void request(FrameHeader frame, ByteBuffer view, int bodyAt, int bodyBytes) {
        HandlerTable handlers = sessions.handlers();
        HandlerTable.Entry<?, ?> entry = handlers.find(frame.code());
        if (sessions.isGoingAway() && frame.version() > PeerVersion.V5_3_1 && !frame.isOneway()) {
            session.outlet().refuse(frame, ResponseCode.GO_AWAY, "please go away");
        } else if (entry == null) {
            session.outlet()
                    .refuse(
                            frame,
                            ResponseCode.REQUEST_CODE_NOT_SUPPORTED,
                            " request type " + frame.code() + " not supported");
        } else {
            handle(entry, handlers.gate(), frame, view, bodyAt, bodyBytes);
        }
    }

    private <Q extends Record, R extends Record> void handle(
            HandlerTable.Entry<Q, R> entry, Gate gate, FrameHeader frame, ByteBuffer view, int bodyAt, int bodyBytes) {
        Q header;
        try {
            header = entry.rpc().request().decode(frame.fields());
        } catch (BadFieldException | RuntimeException e) {
            LOG.debug("event=bad_header request={} remote={}", entry.rpc(), session.remoteAddress(), e);
            session.outlet()
                    .refuse(frame, ResponseCode.SYSTEM_ERROR, entry.rpc().name() + ": " + e.getMessage());
            return;
        }
        Exchange<Q, R> exchange = new Exchange<>(session, entry.rpc(), header, frame, burstMs);
        session.countRequest();
        exchange.lendBody(view, bodyAt, bodyBytes);
        try {
            Gate.Refusal refusal = gate.check(exchange);
            if (refusal == null) {
                entry.handler().handle(exchange, exchange);
            } else {
                exchange.fail(refusal.code(), refusal.remark());
            }
        } catch (RuntimeException e) {
            exchange.failed(e);
        } catch (InternalError e) {
            exchange.failed(Reply.ofDisk(e));
        } finally {
            exchange.takeBack();
        }
    }
}
