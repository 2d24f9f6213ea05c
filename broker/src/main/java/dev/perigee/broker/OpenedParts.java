package dev.perigee.broker;

import dev.perigee.loop.OwnedBy;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a start has opened so far; all of it is closed in reverse order when the start fails. */
@OwnedBy("starting thread")
final class OpenedParts implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenedParts.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Takes note of a part that is open now, or will be. */
    <T extends AutoCloseable> T add(T part) {
        parts.push(part);
        return part;
    }

    /** Closes everything; a part that cannot be closed is logged and keeps no other from being closed. */
    @Override
    public void close() {
        for (AutoCloseable part = parts.poll(); part != null; part = parts.poll()) {
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("event=part_not_closed part={}", part.getClass().getSimpleName(), e);
            }
        }
    }
}
