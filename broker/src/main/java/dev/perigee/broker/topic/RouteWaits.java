package dev.perigee.broker.topic;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.Reply;
import dev.perigee.remoting.transport.Payload;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Holds back answers that tell of a topic until the NameServers know of it. Whoever is told that there is a topic may ask for its
 * route in the next moment, and a client that finds none takes the route of the template for half a minute. Every change of a topic
 * has a number, which grows; what waits begins to wait on the view loop, for all that is visible then.
 *
 * <p>No answer waits longer than {@link #MAX_WAIT_MS}, and none for a NameServer that is known to be down or slow. At most {@link
 * #MAX_WAITING} wait; one more goes out at once, as the topic is there.
 */
@ThreadSafe
public final class RouteWaits {
    /** Answers that may wait; one more does not. */
    public static final int MAX_WAITING = 10_000;

    /** Longest wait of an answer. */
    public static final long MAX_WAIT_MS = 1_000;

    private record Waiting(long change, long deadlineMs, Runnable answer) {}

    private final int limit;
    private final Runnable wake;
    private final AtomicInteger count = new AtomicInteger();
    private final Queue<Runnable> arrived = new ConcurrentLinkedQueue<>(); // bounded by count
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(); // view loop only; changes and deadlines grow in it

    /**
     * Lets so many answers wait.
     *
     * @param limit 0 where there is no NameServer to wait for
     * @param wake makes the view loop run soon
     */
    public RouteWaits(int limit, Runnable wake) {
        this.limit = limit;
        this.wake = wake;
    }

    /**
     * Gives an answer when the NameServers know all topics that are visible now. From any thread.
     *
     * @param answer run once: on the view loop, or on this thread when it may not wait. It must not block or throw
     */
    public void whenKnown(Runnable answer) {
        if (count.incrementAndGet() > limit) {
            count.decrementAndGet();
            answer.run();
            return;
        }
        arrived.add(answer);
        wake.run();
    }

    /** A reply whose answer waits until the NameServers know all topics that are visible when it is given. */
    public <R extends Record> Reply<R> holding(Reply<R> reply) {
        return new HeldReply<>(this, reply);
    }

    /** Makes the view loop look whether answers may go out. From any thread. */
    public void wake() {
        if (count.get() > 0) {
            wake.run();
        }
    }

    /** Makes the view loop run soon, whether answers wait or not. From any thread. */
    public void wakeAnyhow() {
        wake.run();
    }

    /** How many answers wait. From any thread. */
    public int count() {
        return count.get();
    }

    /** What came since the last call begins to wait for the topics to be known as of this change. On the view loop. */
    public void begin(long change, long nowMs) {
        Runnable answer;
        while ((answer = arrived.poll()) != null) {
            waiting.add(new Waiting(change, nowMs + MAX_WAIT_MS, answer));
        }
    }

    /** Gives the answers that wait for this change or an earlier one; gives how many. On the view loop. */
    public int release(long change) {
        int released = 0;
        while (!waiting.isEmpty() && waiting.peek().change() <= change) {
            count.decrementAndGet();
            waiting.poll().answer().run();
            released++;
        }
        return released;
    }

    /** The latest change an answer has waited for too long; −1 when there is none. On the view loop. */
    public long overdue(long nowMs) {
        long change = -1;
        for (Waiting one : waiting) {
            if (one.deadlineMs() > nowMs) {
                break;
            }
            change = one.change();
        }
        return change;
    }

    /** When the first answer will have waited too long; {@link Long#MAX_VALUE} when none waits. On the view loop. */
    public long nextDeadlineMs() {
        return waiting.isEmpty() ? Long.MAX_VALUE : waiting.peek().deadlineMs();
    }

    private record HeldReply<R extends Record>(RouteWaits waits, Reply<R> reply) implements Reply<R> {
        @Override
        public void send(int code, @Nullable String remark, @Nullable R header, @Nullable Payload body) {
            reply.carriedOut();
            waits.whenKnown(() -> reply.guard(() -> reply.send(code, remark, header, body)));
        }

        @Override
        public void failed(RuntimeException cause) {
            reply.failed(cause);
        }

        @Override
        public void resume(Runnable step) {
            reply.resume(step);
        }
    }
}
