package dev.perigee.broker.fact;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.append.FactListener;

/** Appends facts to the log. From any thread; does not block. */
@FunctionalInterface
public interface FactAppender {
    /** Appends a fact; the listener hears once how it ended. */
    void append(Fact fact, FactListener listener);
}
