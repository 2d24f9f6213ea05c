package dev.perigee.broker.filter;

import dev.perigee.loop.Immutable;

/** Decides which messages of a topic a reader gets. From any thread; never fails. */
@Immutable
public interface MessageFilter {
    /** Whether every message is taken, so that nothing else need be asked. */
    boolean takesAll();

    /** Whether a message with this tag hash may be taken, as far as its entry in the queue says. */
    boolean mayTake(long tagHash);

    /** Whether {@link #takes} has to be asked as well, of messages that {@link #mayTake} lets through. */
    boolean needsProperties();

    /** Whether the message with these properties is taken. */
    boolean takes(PropertyLookup properties);

    /** What the filter holds for one reader alone. */
    long sizeBytes();
}
