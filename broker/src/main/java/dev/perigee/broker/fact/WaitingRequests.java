package dev.perigee.broker.fact;

import dev.perigee.broker.check.Refusal;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.RequestHandler;
import dev.perigee.store.view.Duty;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a fact to be applied or for the views to catch up. What they hold together is bounded, and
 * none waits longer than the limit: it is answered with code 2 then, and what it asked for may still be done. How many may
 * wait is bounded where they wait.
 */
@ThreadSafe
public final class WaitingRequests implements Duty {
    /** Bytes of requests that wait may hold together; one more is refused as busy. */
    public static final long MAX_HELD_BYTES = 64L << 20;

    /** An expired request is answered so much late at most. */
    static final long SWEEP_MS = 500;

    private final Clock clock;
    private final long maxWaitMs;
    private final long maxHeldBytes;
    private final Set<WaitingReply<?>> waiting = ConcurrentHashMap.newKeySet();
    private final AtomicLong heldBytes = new AtomicLong();
    private long sweptMs = Long.MIN_VALUE / 2; // view loop only

    /** @param maxWaitMs longest wait of a request */
    public WaitingRequests(Clock clock, long maxWaitMs) {
        this(clock, maxWaitMs, MAX_HELD_BYTES);
    }

    WaitingRequests(Clock clock, long maxWaitMs, long maxHeldBytes) {
        this.clock = clock;
        this.maxWaitMs = maxWaitMs;
        this.maxHeldBytes = maxHeldBytes;
    }

    /**
     * A request begins to wait, and holds nothing worth counting meanwhile.
     *
     * @param what it waits for, as in "the views to catch up"
     */
    public <R extends Record> WaitingReply<R> hold(Reply<R> reply, String what) {
        return add(new WaitingReply<>(this, reply, what, 0, clock.monotonicMs() + maxWaitMs, refusal -> {
            refusal.answer(reply);
        }));
    }

    /**
     * A request begins to wait that holds bytes meanwhile.
     *
     * @param refuse answers the request when it may not wait, or waited too long
     * @return null when it may not wait; then it is answered
     */
    public <R extends Record> @Nullable WaitingReply<R> hold(
            Reply<R> reply, String what, long bytes, Consumer<Refusal> refuse) {
        long all = heldBytes.addAndGet(bytes);
        if (all > maxHeldBytes) {
            heldBytes.addAndGet(-bytes);
            refuse.accept(new Refusal(
                    ResponseCode.SYSTEM_BUSY,
                    "[OVERLOAD]broker busy: a request of " + bytes + " bytes cannot wait for " + what
                            + ", those that wait hold " + (all - bytes) + " bytes, limit " + maxHeldBytes
                            + ", try again"));
            return null;
        }
        return add(new WaitingReply<>(this, reply, what, bytes, clock.monotonicMs() + maxWaitMs, refuse));
    }

    /** A handler whose requests all wait, holding their bodies. */
    public <Q extends Record, R extends Record> RequestHandler<Q, R> holding(
            String what, RequestHandler<Q, R> handler) {
        return (request, reply) -> {
            WaitingReply<R> held = hold(reply, what, request.body().remaining(), refusal -> refusal.answer(reply));
            if (held != null) {
                held.guard(() -> handler.handle(request, held));
            }
        };
    }

    private <R extends Record> WaitingReply<R> add(WaitingReply<R> held) {
        waiting.add(held);
        return held;
    }

    /** It waits no longer. */
    void ended(WaitingReply<?> held) {
        waiting.remove(held);
        heldBytes.addAndGet(-held.bytes());
    }

    /** How many wait. */
    public int count() {
        return waiting.size();
    }

    /** What they hold. */
    public long heldBytes() {
        return heldBytes.get();
    }

    @Override
    public int doWork(long nowMs) {
        if (nowMs - sweptMs < SWEEP_MS || waiting.isEmpty()) {
            return 0;
        }
        sweptMs = nowMs;
        int expired = 0;
        for (WaitingReply<?> held : waiting) {
            if (held.isDue(nowMs)) {
                held.guard(() -> held.expire(nowMs, maxWaitMs));
                expired++;
            }
        }
        return expired;
    }

    @Override
    public long nextDeadlineMs() {
        return waiting.isEmpty() ? Long.MAX_VALUE : sweptMs + SWEEP_MS;
    }
}
