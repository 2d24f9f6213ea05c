package dev.perigee.client.route;

import dev.perigee.client.error.Completion;
import dev.perigee.client.error.FailureSite;
import dev.perigee.loop.Clock;
import dev.perigee.loop.ThreadSafe;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a route before its time when a call shows that it may be out of date: who it names is not reached, does not answer, or is in no
 * state to. Another one may be the master by now, and who waits for the next round of {@link RouteCache#refreshAll} stands still until then.
 *
 * <p>However many calls fail, the pause between two looks at a route doubles while it stays the same: from {@link #PAUSE_MS} to
 * {@link #FRESH_PAUSE_MS}, and to {@link #LONG_PAUSE_MS} after {@link #FRESH_MS}, so that nobody's absence is a load on the NameServers for
 * long. It begins anew with a route that changed, and where no look was due for {@link #QUIET_MS}.
 */
@ThreadSafe
public final class RouteLooks {
    static final long PAUSE_MS = 200;
    /** The longest pause in the time in which another master is likely to be found. */
    static final long FRESH_PAUSE_MS = 1_000;

    static final long FRESH_MS = 15_000;
    static final long LONG_PAUSE_MS = 5_000;
    static final long QUIET_MS = 2 * LONG_PAUSE_MS;

    private static final int MOST_TOPICS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(RouteLooks.class);

    /**
     * How often a route is looked at.
     *
     * @param sinceMs when its calls began to fail, or it changed
     * @param lastMs when it was looked at last
     * @param pauseMs how long it is not looked at from then on
     */
    private record Pace(long sinceMs, long lastMs, long pauseMs) {
        static Pace begun(long nowMs) {
            return new Pace(nowMs, nowMs, PAUSE_MS);
        }

        boolean isOver(long nowMs) {
            return nowMs - lastMs >= QUIET_MS;
        }

        Pace next(long nowMs) {
            long most = nowMs - sinceMs < FRESH_MS ? FRESH_PAUSE_MS : LONG_PAUSE_MS;
            return isOver(nowMs) ? begun(nowMs) : new Pace(sinceMs, nowMs, Math.min(2 * pauseMs, most));
        }

        Pace changed(long nowMs) {
            return new Pace(nowMs, lastMs, PAUSE_MS);
        }
    }

    private final RouteCache routes;
    private final Clock clock;
    /** By topic. */
    private final ConcurrentMap<String, Pace> paces = new ConcurrentHashMap<>();

    public RouteLooks(RouteCache routes, Clock clock) {
        this.routes = routes;
        this.clock = clock;
        routes.onChange(
                route -> paces.computeIfPresent(route.topic(), (topic, pace) -> pace.changed(clock.monotonicMs())));
    }

    /**
     * A call did not come to its answer there. Any thread; does not block.
     *
     * @param topic what it was about; {@link FailureSite#NONE} where it was about none: then a route is looked at that names the address
     */
    public void failed(String address, String topic) {
        routes.notReadable(address);
        Optional<String> concerned = topic.equals(FailureSite.NONE)
                ? routes.topicAt(address)
                : Optional.of(topic).filter(routes::isKnown);
        concerned.filter(this::isDue).ifPresent(this::look);
    }

    private void look(String topic) {
        Completion.on(routes.refresh(topic), (route, failure) -> {
            if (failure != null) {
                LOG.debug("event=route_not_refreshed topic={} reason=\"{}\"", topic, failure.getMessage());
            }
        });
    }

    private boolean isDue(String topic) {
        long nowMs = clock.monotonicMs();
        Pace pace = paces.get(topic);
        if (pace != null) {
            return nowMs - pace.lastMs >= pace.pauseMs && paces.replace(topic, pace, pace.next(nowMs));
        }
        if (paces.size() >= MOST_TOPICS) {
            paces.values().removeIf(one -> one.isOver(nowMs));
        }
        return paces.putIfAbsent(topic, Pace.begun(nowMs)) == null;
    }
}
