package dev.perigee.store.receive;

import dev.perigee.loop.ThreadSafe;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jctools.queues.MpscArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What waits to be taken in by the log loop, in the order of the stream; bounded by bytes and by number. When it is full an offer
 * is turned away at once, and its listener is told when half of it is free again: until then the offerer does not read its
 * connection.
 */
@ThreadSafe
public final class ReceiveInbox {
    /** Bytes that may wait: what a sender has under way at most. */
    public static final long WINDOW_BYTES = 8 << 20;

    /** Items that may wait, heartbeats and cuts among them. */
    static final int MAX_ITEMS = 1024;

    private static final int ROOM_SHARE = 2;

    private final MpscArrayQueue<Received> queue = new MpscArrayQueue<>(MAX_ITEMS);
    private final AtomicLong bytes = new AtomicLong();
    /** Those that were turned away; one per connection at most. */
    private final Set<ReceiveListener> turnedAway = ConcurrentHashMap.newKeySet();

    private final long maxBytes;
    private final Runnable wake;
    private final Runnable run;

    /**
     * @param maxBytes bytes that may wait; a single larger item is taken when nothing else waits
     * @param wake makes the log loop run on its own thread
     * @param run does the log loop's next short pass on the calling thread when the loop is parked, else as {@code wake}
     */
    public ReceiveInbox(long maxBytes, Runnable wake, Runnable run) {
        this.maxBytes = maxBytes;
        this.wake = wake;
        this.run = run;
    }

    /**
     * Hands over bytes, which the log loop takes when it runs: whoever has offered what came in one turn calls {@link #wake} or
     * {@link #run} behind it. Any thread; those of one session from one thread, in their order.
     *
     * @return false when there is no room: the bytes are still the caller's, and its listener hears {@code roomAgain}, after which
     *     a large item may be turned away again
     */
    public boolean offer(ReceivedBytes received) {
        if (enqueue(received)) {
            return true;
        }
        turnedAway.add(received.listener());
        // Once more: the last item may have been taken before the listener was known, and then nobody would tell it.
        if (enqueue(received)) {
            turnedAway.remove(received.listener());
            return true;
        }
        return false;
    }

    /**
     * Hands over an order to cut, behind the bytes offered before, and wakes the log loop. Any thread.
     *
     * @return false when too many items wait; to be tried again
     */
    public boolean offer(CutOrder order) {
        boolean taken = enqueue(order);
        wake.run();
        return taken;
    }

    /** Makes the log loop take what was offered, on its own thread. Any thread. */
    public void wake() {
        wake.run();
    }

    /** Makes the log loop take what was offered: a little of it here and now when the loop is parked. Any thread that may spend some microseconds. */
    public void run() {
        run.run();
    }

    private boolean enqueue(Received received) {
        int size = received.sizeBytes();
        if (bytes.addAndGet(size) > maxBytes && bytes.get() != size) {
            bytes.addAndGet(-size);
            return false;
        }
        if (!queue.offer(received)) {
            bytes.addAndGet(-size);
            return false;
        }
        return true;
    }

    /** The next item, taken out; null when there is none. Log loop only. */
    public @Nullable Received poll() {
        Received received = queue.relaxedPoll();
        if (received != null) {
            bytes.addAndGet(-received.sizeBytes());
            if (!turnedAway.isEmpty() && hasRoom()) {
                tellRoom();
            }
        }
        return received;
    }

    /** The item that comes next; null when there is none. Log loop only. */
    public @Nullable Received peek() {
        return queue.relaxedPeek();
    }

    /** Whether nothing waits. Log loop only. */
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    private boolean hasRoom() {
        return bytes.get() <= maxBytes / ROOM_SHARE && queue.size() <= MAX_ITEMS / ROOM_SHARE;
    }

    private void tellRoom() {
        for (ReceiveListener listener : List.copyOf(turnedAway)) {
            if (turnedAway.remove(listener)) {
                listener.roomAgain();
            }
        }
    }
}
