package dev.perigee.client.listener;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Counts what is under way, and tells when nothing is any more. */
@ThreadSafe
public final class RunningCalls {
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicReference<@Nullable CompletableFuture<Void>> awaited = new AtomicReference<>();

    /** One more is under way. */
    public void begun() {
        running.incrementAndGet();
    }

    /** One has ended; called after its result was handed on. */
    public void ended() {
        if (running.decrementAndGet() == 0) {
            CompletableFuture<Void> waiting = awaited.getAndSet(null);
            if (waiting != null) {
                waiting.complete(null);
            }
        }
    }

    /** How many are under way. */
    public int count() {
        return running.get();
    }

    /**
     * Completes, on the thread that ends the last one, when nothing is under way; more may begin afterwards. One may wait
     * at a time.
     */
    public CompletableFuture<Void> idle() {
        CompletableFuture<Void> waiting = new CompletableFuture<>();
        awaited.set(waiting);
        if (running.get() == 0) {
            waiting.complete(null);
        }
        return waiting;
    }
}
