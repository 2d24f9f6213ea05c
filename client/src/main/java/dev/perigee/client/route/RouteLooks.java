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
 */
@ThreadSafe
public final class RouteLooks {
    /** A route is looked at as often at most, however many calls fail. */
    static final long PAUSE_MS = 200;

    private static final int MOST_TOPICS = 1_000;
    private static final Logger LOG = LoggerFactory.getLogger(RouteLooks.class);

    private final RouteCache routes;
    private final Clock clock;
    /** By topic, when it was looked at last because of a call. */
    private final ConcurrentMap<String, Long> lookedMs = new ConcurrentHashMap<>();

    public RouteLooks(RouteCache routes, Clock clock) {
        this.routes = routes;
        this.clock = clock;
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
        Long lastMs = lookedMs.get(topic);
        if (lastMs != null && nowMs - lastMs < PAUSE_MS) {
            return false;
        }
        if (lookedMs.size() >= MOST_TOPICS) {
            lookedMs.values().removeIf(oneMs -> nowMs - oneMs >= PAUSE_MS);
        }
        return lastMs == null ? lookedMs.putIfAbsent(topic, nowMs) == null : lookedMs.replace(topic, lastMs, nowMs);
    }
}
