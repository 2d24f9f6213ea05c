package dev.perigee.broker.offset;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/**
 * Who asks for offsets of groups while another one may believe that it is the master, and answer with older ones: waits until that is over
 * (R26, R32). At {@link #MAX_WAITING} a further one is refused as busy.
 */
@ThreadSafe
public final class HeldQueries {
    /** They wait at most. */
    static final int MAX_WAITING = 10_000;

    private record Query(Reply<?> reply, Runnable then) {}

    private final Queue<Query> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean held;

    // view loop only
    private long untilMs;
    private BooleanSupplier sooner = () -> true;

    HeldQueries() {}

    /**
     * From now on they wait. View loop.
     *
     * @param endMs until then at most, monotonic milliseconds
     * @param overSooner whether nobody believes so any more; on the view loop
     */
    public void begin(long endMs, BooleanSupplier overSooner) {
        untilMs = endMs;
        sooner = overSooner;
        held = true;
    }

    /** Whether they wait. Any thread. */
    public boolean isHeld() {
        return held;
    }

    /**
     * One waits. Any thread.
     *
     * @param then run when it need not any more, guarded by the reply, on any thread; not when the reply was answered
     */
    void ask(Reply<?> reply, Runnable then) {
        if (count.incrementAndGet() > MAX_WAITING) {
            count.decrementAndGet();
            reply.fail(ResponseCode.SYSTEM_BUSY, OffsetCommits.TOO_MANY + ": " + MAX_WAITING + " wait already");
            return;
        }
        waiting.add(new Query(reply, then));
        if (!held) {
            letGo(); // that was over meanwhile
        }
    }

    /** Lets them go on when that is over. View loop. */
    int look(long nowMs) {
        if (!held || (nowMs < untilMs && !sooner.getAsBoolean())) {
            return 0;
        }
        held = false;
        return letGo() + 1;
    }

    private int letGo() {
        int gone = 0;
        for (Query query = waiting.poll(); query != null; query = waiting.poll()) {
            count.decrementAndGet();
            Query next = query;
            next.reply().guard(next.then());
            gone++;
        }
        return gone;
    }

    /** This broker is the master no more: who waits is told so. View loop. */
    void drop(String why) {
        held = false;
        for (Query query = waiting.poll(); query != null; query = waiting.poll()) {
            count.decrementAndGet();
            Query next = query;
            next.reply().guard(() -> next.reply().fail(ResponseCode.SYSTEM_BUSY, why));
        }
    }

    /** When it is to be looked at the latest. View loop. */
    long nextDeadlineMs() {
        return held ? untilMs : Long.MAX_VALUE;
    }
}
