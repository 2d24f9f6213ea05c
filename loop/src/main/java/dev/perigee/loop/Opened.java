package dev.perigee.loop;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was opened on the way to something whole: closed in reverse order unless that came about. Closing throws nothing,
 * so that the failure that led to it is the one that is seen.
 */
@OwnedBy("opening or closing thread")
public final class Opened implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Opened.class);

    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** One more part, closed before those that were there. */
    public void add(AutoCloseable part) {
        parts.push(part);
    }

    /** As {@link #add}; gives the part back. */
    public <T extends AutoCloseable> T with(T part) {
        add(part);
        return part;
    }

    /** The whole is there and closes its parts itself. */
    public void keep() {
        parts.clear();
    }

    /** Closes every part; one that cannot be closed is logged and keeps no other from being closed. Idempotent. */
    @Override
    public void close() {
        while (!parts.isEmpty()) {
            try {
                parts.pop().close();
            } catch (Exception e) {
                LOG.warn("event=part_not_closed partsLeft={}", parts.size(), e);
            }
        }
    }
}
