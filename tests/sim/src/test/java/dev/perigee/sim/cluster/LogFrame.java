package dev.perigee.sim.cluster;

import dev.perigee.protocol.frame.FrameCodec;
import dev.perigee.protocol.frame.MalformedFrameException;
import dev.perigee.protocol.rpc.Rpcs;
import java.nio.ByteBuffer;

/** Knows frames that carry bytes of a log to a replica. */
final class LogFrame {
    private LogFrame() {}

    /** How many bytes of a log stand at the end of a frame; 0 in one that is there for something else. */
    static int bodyBytes(byte[] frame) {
        int typeAndLength = ByteBuffer.wrap(frame).getInt(FrameCodec.LENGTH_BYTES);
        int headerBytes = FrameCodec.headerLengthOf(typeAndLength);
        try {
            int code = FrameCodec.decodeHeader(
                            FrameCodec.serializationOf(typeAndLength), frame, FrameCodec.PREFIX_BYTES, headerBytes)
                    .code();
            return code == Rpcs.REPLICA_FETCHED.code() ? frame.length - FrameCodec.PREFIX_BYTES - headerBytes : 0;
        } catch (MalformedFrameException e) {
            throw new IllegalStateException("a frame of ours cannot be read", e);
        }
    }
}
