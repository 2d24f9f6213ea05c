package dev.perigee.client.send;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.Failures;
import dev.perigee.client.route.RouteCache;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import dev.perigee.remoting.call.RemotingException;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;

/**
 * Where sends and decisions to a broker go: to its master; and while that one does not answer, or nobody is known to be the master, to the
 * other brokers of its name. Of a group that elects its master each takes a send, and has the master answer it; a slave refuses it as busy.
 * So nobody has to wait until a NameServer names a new master.
 */
@ThreadSafe
public final class Destinations {
    /** For so long one that did not answer is passed over while there is another one. */
    static final long DOUBT_MS = 1_000;

    /** Between two looks at a route that is out of date. */
    static final long LOOK_MS = 200;

    private static final int MOST_DOUBTED = 64;

    private final RouteCache routes;
    private final Clock clock;
    /** By address, when it did not answer, or refused, last. */
    private final ConcurrentMap<String, Long> doubted = new ConcurrentHashMap<>();

    private final AtomicLong lookDueMs = new AtomicLong(Long.MIN_VALUE);

    public Destinations(RouteCache routes, Clock clock) {
        this.routes = routes;
        this.clock = clock;
    }

    /** Where the next send to this broker goes; empty when no address of it is known. */
    public Optional<String> of(String brokerName) {
        Optional<String> master = routes.masterAddress(brokerName);
        if (master.isPresent() && (doubted.isEmpty() || !isDoubted(master.get()))) {
            return master;
        }
        return routes.members(brokerName).stream().min(Comparator.comparingLong(this::doubtedMs));
    }

    /** As {@link #of}, of what is sent one-way: a slave drops it without a word, so a master that is connected is left by no doubt. */
    Optional<String> ofOneway(String brokerName, Predicate<String> isConnected) {
        return routes.masterAddress(brokerName).filter(isConnected).or(() -> of(brokerName));
    }

    /** It answered as it should. */
    public void answered(String address) {
        if (!doubted.isEmpty()) {
            doubted.remove(address);
        }
    }

    /** It does not take sends now; one that is the master has its reasons. */
    public void refused(String brokerName, String address) {
        if (!routes.masterAddress(brokerName).equals(Optional.of(address))) {
            doubt(address);
        }
    }

    /**
     * Whether a send went through though the route names another master, or none: so it is out of date, and it is time to look at it; that
     * is said each {@link #LOOK_MS} at most.
     */
    boolean isRoundabout(String brokerName, String address) {
        if (routes.masterAddress(brokerName).equals(Optional.of(address))) {
            return false;
        }
        long nowMs = clock.monotonicMs();
        long dueMs = lookDueMs.get();
        return nowMs >= dueMs && lookDueMs.compareAndSet(dueMs, nowMs + LOOK_MS);
    }

    /**
     * A request to it failed. It is doubted when that says something of it: when it was not reached, its connection broke, or it was silent
     * for a second; not when the time of the request was shorter, or nothing left for a reason of our own.
     *
     * @param waitedMs how long the request took to fail
     */
    public void failed(String address, Throwable failure, long waitedMs) {
        Throwable known = Failures.unwrap(failure);
        Throwable cause = known instanceof ClientException && known.getCause() != null ? known.getCause() : known;
        if (cause instanceof RemotingException.ConnectFailed
                || cause instanceof RemotingException.ConnectionClosed
                || (isTimeout(cause) && waitedMs >= OpenTries.SILENT_MS)) {
            doubt(address);
        }
    }

    private static boolean isTimeout(Throwable cause) {
        return cause instanceof RemotingException.CallTimeout || cause instanceof DeadlineExceededException;
    }

    /** It does not answer. */
    void doubt(String address) {
        if (doubted.size() >= MOST_DOUBTED) {
            doubted.keySet().removeIf(known -> !isDoubted(known));
        }
        doubted.put(address, clock.monotonicMs());
    }

    /** Whether there is more than one broker of this name. */
    public boolean areSeveral(String brokerName) {
        return routes.members(brokerName).size() > 1;
    }

    /** Whether this one is passed over, and there is another one of the name that is not. */
    boolean isAnotherLeft(String brokerName, String address) {
        return isDoubted(address) && !routes.members(brokerName).stream().allMatch(this::isDoubted);
    }

    /** Whether another one than this is the broker's master now. */
    boolean isReplaced(String brokerName, String address) {
        Optional<String> master = routes.masterAddress(brokerName);
        return master.isPresent() && !master.get().equals(address);
    }

    private boolean isDoubted(String address) {
        return doubtedMs(address) > Long.MIN_VALUE;
    }

    private long doubtedMs(String address) {
        Long failedMs = doubted.get(address);
        return failedMs == null || clock.monotonicMs() - failedMs >= DOUBT_MS ? Long.MIN_VALUE : failedMs;
    }
}
