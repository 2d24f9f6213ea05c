package dev.perigee.store.receive;

import dev.perigee.loop.Immutable;

/**
 * Takes away what stands at the end of the log and is not in the sender's. In its turn among received bytes.
 *
 * @param session the connection it came over
 * @param endOffset where the log shall end: the end of a whole unit, at or above the confirm offset (R24)
 * @param listener told once what became of it, on the log loop
 */
@Immutable
public record CutOrder(long session, long endOffset, CutListener listener) implements Received {
    /** Told on the log loop; must not block. */
    public interface CutListener {
        /** The log ends at the offset asked for, durably; nothing was taken in meanwhile. */
        void cut(CutOrder order);

        /** Nothing was cut. */
        void refused(CutOrder order, ReceiveRefusedException why);
    }

    @Override
    public int sizeBytes() {
        return 0;
    }
}
