package dev.perigee.client.query;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.FailureSite;
import dev.perigee.client.error.InterruptedCallException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.instance.ClientInstance;
import dev.perigee.client.route.TopicRoute;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.route.BrokerData;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Reads queues side by side and gives their messages by store time, the oldest first; those of one queue always in its order. A few
 * messages of each queue are held, however many there are. What is stored after the reading of its queue began is left out.
 *
 * <p>A broker that fails is asked no more, and named by {@link #missing}; the others are read to their end.
 */
@OwnedBy("browsing thread")
public final class Browser {
    private static final int PAGE_MESSAGES = 32;
    private static final int MAX_PAGE_BYTES = 256 << 10;
    private static final int MIN_PAGE_BYTES = 4 << 10;
    /** What all pages may hold together, as far as single messages are not larger. */
    private static final int ALL_PAGES_BYTES = 32 << 20;

    private static final Comparator<QueueCursor> BY_HEAD = Comparator.comparingLong(
                    (QueueCursor cursor) -> head(cursor).storeTimestampMs())
            .thenComparing(QueueCursor::queue);

    private final int queues;
    private final long timeoutMs;
    /** Those to be advanced before the next message is chosen. */
    private final Deque<QueueCursor> unread = new ArrayDeque<>();

    private final PriorityQueue<QueueCursor> ready = new PriorityQueue<>(BY_HEAD);
    private final List<Missing> missing = new ArrayList<>();
    private final Set<String> failedBrokers = new HashSet<>();

    private Browser(int queues, long timeoutMs) {
        this.queues = queues;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Begins to browse; nobody is asked yet. For the library's own packages.
     *
     * @param queues which queues
     * @param route the route of their topic
     * @param timeoutMs how long one question may take
     */
    public static Browser of(
            ClientInstance instance, List<MessageQueue> queues, TopicRoute route, BrowseRange range, long timeoutMs) {
        Browser browser = new Browser(queues.size(), timeoutMs);
        int pageBytes =
                Math.max(MIN_PAGE_BYTES, Math.min(MAX_PAGE_BYTES, ALL_PAGES_BYTES / Math.max(1, queues.size())));
        QueueReads.Limits page = new QueueReads.Limits(PAGE_MESSAGES, pageBytes);
        QueueReads reads = new QueueReads(instance);
        for (MessageQueue queue : queues) {
            BrokerData broker = route.brokers().get(queue.brokerName());
            String address = broker == null ? null : broker.addressToRead();
            if (address == null) {
                browser.failed(
                        queue.brokerName(),
                        new NoRouteException(
                                "no address known of broker " + queue.brokerName(),
                                FailureSite.untried(queue.topic(), timeoutMs)));
            } else {
                browser.unread.add(new QueueCursor(queue, address, range, reads, page));
            }
        }
        return browser;
    }

    private static MessageExt head(QueueCursor cursor) {
        return Objects.requireNonNull(cursor.head());
    }

    /**
     * The next message, the oldest of those that are left; empty at the end. Blocks while a broker is asked. After an interrupt the
     * browsing can go on: nothing is skipped or given twice.
     */
    public Optional<MessageExt> next() throws InterruptedCallException {
        for (QueueCursor cursor = unread.peek(); cursor != null; cursor = unread.peek()) {
            advance(cursor);
            unread.remove(); // one that was interrupted stays the next
        }
        QueueCursor oldest = ready.poll();
        if (oldest == null) {
            return Optional.empty();
        }
        MessageExt message = head(oldest);
        unread.add(oldest);
        return Optional.of(message);
    }

    private void advance(QueueCursor cursor) throws InterruptedCallException {
        String broker = cursor.queue().brokerName();
        if (failedBrokers.contains(broker)) {
            cursor.stop(); // what it holds is given all the same
        }
        try {
            cursor.advance(timeoutMs);
        } catch (InterruptedCallException e) {
            throw e;
        } catch (ClientException e) {
            failed(broker, e);
        }
        if (cursor.head() != null) {
            ready.add(cursor);
        }
    }

    private void failed(String brokerName, ClientException failure) {
        if (failedBrokers.add(brokerName)) {
            missing.add(Missing.failed(brokerName, failure));
        }
    }

    /** How many queues are browsed, those of brokers that fail among them. */
    public int queues() {
        return queues;
    }

    /** The brokers that failed so far. */
    public List<Missing> missing() {
        return List.copyOf(missing);
    }

    /** Whether no broker failed so far. */
    public boolean isComplete() {
        return missing.isEmpty();
    }
}
