package dev.perigee.remoting.netty;

import dev.perigee.loop.ThreadSafe;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The memory that frames take which have not come whole yet, over all links of a group of event loops, against a limit.
 * Where a read would exceed it, links are closed whose frame began {@link SlowestFirst#SLOW_MS} ago or longer, the oldest first, until
 * an eighth of the limit is free; when there is none, the link that wants more is closed, unless what it holds is no more
 * than one read. So frames that come at a usual pace get through whatever others hold back, and begun frames are not given
 * up for new ones.
 */
@ThreadSafe
final class UnfinishedFrames {
    /** What a link may always hold: one read from its socket. */
    static final int FREE_BYTES = SocketOptions.MAX_READ_BYTES;

    private static final SlowestFirst<Holder> SLOWEST_FIRST =
            new SlowestFirst<>(holder -> holder.heldBytes() > 0, Holder::begunNs, Holder::heldBytes);

    /** A link that holds a part of a frame. */
    interface Holder {
        /** What it holds. Any thread. */
        long heldBytes();

        /** When the frame began, by the clock of this. Any thread. */
        long begunNs();

        /** Ends the link. Any thread. */
        void giveUp(String reason);
    }

    private final long limitBytes;
    private final LongSupplier clockNs;
    private final AtomicLong heldBytes = new AtomicLong();
    private final Set<Holder> holders = ConcurrentHashMap.newKeySet();

    UnfinishedFrames(long limitBytes, LongSupplier clockNs) {
        this.limitBytes = limitBytes;
        this.clockNs = clockNs;
    }

    long nowNs() {
        return clockNs.getAsLong();
    }

    /** What all links hold. */
    long heldBytes() {
        return heldBytes.get();
    }

    /** A link holds something for the first time. */
    void joins(Holder holder) {
        holders.add(holder);
    }

    /** A link has ended and holds nothing any more. */
    void leaves(Holder holder) {
        holders.remove(holder);
    }

    /** A link that joined holds so much more, or less. */
    void changed(Holder holder, long byBytes) {
        long heldNow = heldBytes.addAndGet(byBytes);
        if (byBytes > 0 && heldNow > limitBytes) {
            makeRoom(holder, heldNow);
        }
    }

    private void makeRoom(Holder wanting, long heldNow) {
        boolean anySlow = SLOWEST_FIRST.free(
                holders,
                nowNs(),
                heldNow - limitBytes,
                limitBytes,
                (holder, slowMs) -> holder.giveUp(reason(" and this one is under way for " + slowMs + " ms")));
        if (!anySlow && wanting.heldBytes() > FREE_BYTES) {
            wanting.giveUp(reason(" and none of them is under way for " + SlowestFirst.SLOW_MS + " ms"));
        }
    }

    private String reason(String why) {
        return "unfinished frames of all connections hold " + heldBytes.get() + " bytes, limit " + limitBytes + ","
                + why;
    }
}
