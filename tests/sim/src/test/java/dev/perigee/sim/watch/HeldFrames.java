package dev.perigee.sim.watch;

import dev.perigee.protocol.message.FrameCheck;
import dev.perigee.protocol.message.MessageFrame;
import dev.perigee.sim.cluster.BrokerMachine;
import dev.perigee.store.log.CommitLog;
import dev.perigee.store.log.SegmentLease;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Whether a machine would still have a message if its process ended now. */
final class HeldFrames {
    private HeldFrames() {}

    /** Whether there is a frame of that body: forced, or written where that broker forces nothing before it answers; of one that is down on its disk. */
    static boolean has(BrokerMachine machine, long offset, byte[] body) {
        try {
            CommitLog log = machine.log().orElse(null);
            if (log == null) {
                return isFrameOf(machine.onDisk(offset), offset, body);
            }
            SegmentLease lease = log.leaseRest(offset);
            if (lease == null) {
                return false;
            }
            try {
                long end = machine.forces() ? log.syncedOffset() : log.endOffset();
                return isFrameOf(lease.bytes(), offset, body)
                        && offset + lease.bytes().getInt(0) <= end;
            } finally {
                lease.release();
            }
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether a sound frame of that offset begins there that holds that body. */
    private static boolean isFrameOf(ByteBuffer bytes, long offset, byte[] body) {
        int size = bytes.remaining() < MessageFrame.MIN_BYTES ? 0 : bytes.getInt(0);
        if (size < MessageFrame.MIN_BYTES
                || size > bytes.remaining()
                || !FrameCheck.of(bytes, 0, size, true).isSound()) {
            return false;
        }
        MessageFrame frame = new MessageFrame().wrap(bytes, 0);
        return frame.physicalOffset() == offset && frame.body().equals(ByteBuffer.wrap(body));
    }
}
