package dev.perigee.store.append;

import dev.perigee.loop.ThreadSafe;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Requests on their way to the log loop, bounded by number and by bytes. When full an offer is refused at once; an eighth
 * of both bounds is a reserve that only facts and carried copies may use (R34), so that the cure of a full store still gets through.
 */
@ThreadSafe
final class Inbox {
    private static final int RESERVE_SHARE = 8;
    private static final int BUSY_SHARE = 16;

    private final MpscArrayQueue<AppendRequest> queue;
    /**
     * Facts and carried copies that were next when what is behind them was looked at; they keep their turn, and their bytes count until it
     * comes. Log loop only.
     */
    private final ArrayDeque<AppendRequest> passedOver = new ArrayDeque<>();

    private final AtomicLong bytes = new AtomicLong();
    private final int ordinaryRequests;
    private final long ordinaryBytes;
    private final long maxBytes;

    Inbox(int maxRequests, long maxBytes) {
        this.queue = new MpscArrayQueue<>(maxRequests);
        this.maxBytes = maxBytes;
        this.ordinaryRequests = queue.capacity() - queue.capacity() / RESERVE_SHARE;
        this.ordinaryBytes = maxBytes - maxBytes / RESERVE_SHARE;
    }

    /** Queues a request; false when there is no room for its kind. */
    boolean offer(AppendRequest request) {
        int size = request.sizeBytes();
        long limit = request.usesReserve() ? maxBytes : ordinaryBytes;
        if (bytes.addAndGet(size) > limit && bytes.get() != size) {
            bytes.addAndGet(-size);
            return false;
        }
        boolean queued =
                request.usesReserve() ? queue.offer(request) : queue.offerIfBelowThreshold(request, ordinaryRequests);
        if (!queued) {
            bytes.addAndGet(-size);
        }
        return queued;
    }

    /** The next request, taken out. Log loop only. */
    @Nullable
    AppendRequest poll() {
        AppendRequest request = passedOver.poll();
        return taken(request == null ? queue.relaxedPoll() : request);
    }

    /** The request that comes next, or null. Log loop only. */
    @Nullable
    AppendRequest peek() {
        AppendRequest request = passedOver.peek();
        return request == null ? queue.relaxedPeek() : request;
    }

    /** The oldest request without a right to the reserve, or null. Log loop only. */
    @Nullable
    AppendRequest peekOrdinary() {
        AppendRequest request = queue.relaxedPeek();
        while (request != null && request.usesReserve()) {
            passedOver.add(queue.relaxedPoll());
            request = queue.relaxedPeek();
        }
        return request;
    }

    /** The oldest request without a right to the reserve, taken out. Log loop only. */
    @Nullable
    AppendRequest pollOrdinary() {
        return peekOrdinary() == null ? null : taken(queue.relaxedPoll());
    }

    private @Nullable AppendRequest taken(@Nullable AppendRequest request) {
        if (request != null) {
            bytes.addAndGet(-request.sizeBytes());
        }
        return request;
    }

    /** Whether a sixteenth of either bound is taken: requests wait for each other, not for a processor. Any thread. */
    boolean isBusy() {
        return queue.size() > queue.capacity() / BUSY_SHARE || bytes.get() > maxBytes / BUSY_SHARE;
    }

    /** Log loop only. */
    boolean isEmpty() {
        return passedOver.isEmpty() && queue.isEmpty();
    }
}
