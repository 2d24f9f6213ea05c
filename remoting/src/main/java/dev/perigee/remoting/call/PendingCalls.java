package dev.perigee.remoting.call;

import dev.perigee.loop.OwnedBy;
import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The calls of one connection that wait for an answer, by opaque. */
@OwnedBy("event loop")
public final class PendingCalls {
    private final IntObjectHashMap<PendingCall<?, ?>> byOpaque = new IntObjectHashMap<>();
    private final AtomicInteger reserved = new AtomicInteger();
    private final int limit;
    private final DeadlineWheel wheel;
    private final LongAdder timedOut;
    private int nextOpaque;

    /**
     * @param limit calls that may be made and not yet answered
     * @param wheel the deadlines of the connection's event loop
     * @param timedOut counts calls without an answer
     */
    public PendingCalls(int limit, DeadlineWheel wheel, LongAdder timedOut) {
        this.limit = limit;
        this.wheel = wheel;
        this.timedOut = timedOut;
    }

    /** Takes a place for one call; false when all are taken. Any thread. */
    public boolean tryReserve() {
        if (reserved.incrementAndGet() <= limit) {
            return true;
        }
        reserved.decrementAndGet();
        return false;
    }

    /** Gives back the place of a call that was never registered. Any thread. */
    public void unreserve() {
        reserved.decrementAndGet();
    }

    /** The largest number of calls at a time. */
    public int limit() {
        return limit;
    }

    /** Whether no call is under way, registered or about to be. Any thread. */
    public boolean isEmpty() {
        return reserved.get() == 0;
    }

    /** Takes in a call that has a place, and gives its opaque. */
    public int register(PendingCall<?, ?> call) {
        int opaque = nextOpaque++;
        while (byOpaque.containsKey(opaque)) {
            opaque = nextOpaque++;
        }
        call.opaque = opaque;
        call.table = this;
        byOpaque.put(opaque, call);
        wheel.add(call);
        return opaque;
    }

    /** Takes out the call with this opaque, or null when nobody waits for it. */
    public @Nullable PendingCall<?, ?> take(int opaque) {
        PendingCall<?, ?> call = byOpaque.remove(opaque);
        if (call != null) {
            leave(call);
        }
        return call;
    }

    /** Fails all calls because the connection is gone. */
    public void failAll(String reason) {
        List<PendingCall<?, ?>> calls = new ArrayList<>(byOpaque.values());
        byOpaque.clear();
        for (PendingCall<?, ?> call : calls) {
            leave(call);
            call.failClosed(reason);
        }
    }

    void timeOut(PendingCall<?, ?> call) {
        byOpaque.remove(call.opaque);
        leave(call);
        timedOut.increment();
        call.failTimeout();
    }

    private void leave(PendingCall<?, ?> call) {
        wheel.remove(call);
        call.table = null;
        reserved.decrementAndGet();
    }
}
