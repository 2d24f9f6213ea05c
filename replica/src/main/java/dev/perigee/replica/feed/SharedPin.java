package dev.perigee.replica.feed;

import dev.perigee.loop.ThreadSafe;
import java.util.concurrent.atomic.AtomicInteger;

/** Pinned bytes of the log that a feed and the frames on their way share: the last one gives them back. */
@ThreadSafe
final class SharedPin {
    private final FeedSource.Pinned pinned;
    private final AtomicInteger holders = new AtomicInteger(1);

    /** Held once, by the caller. */
    SharedPin(FeedSource.Pinned pinned) {
        this.pinned = pinned;
    }

    /** The bytes; for a holder. */
    FeedSource.Pinned pinned() {
        return pinned;
    }

    /** One more holds them; by a holder. */
    void hold() {
        holders.incrementAndGet();
    }

    /** One holder less. Any thread. */
    void release() {
        if (holders.decrementAndGet() == 0) {
            pinned.release().run();
        }
    }
}
