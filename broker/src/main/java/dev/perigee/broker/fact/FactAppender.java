package dev.perigee.broker.fact;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.append.AppendResult;
import dev.perigee.store.append.FactListener;
import org.slf4j.LoggerFactory;

/** Appends facts to the log. From any thread; does not block. */
@FunctionalInterface
public interface FactAppender {
    /** Appends a fact; the listener hears once how it ended. */
    void append(Fact fact, FactListener listener);

    /**
     * The same for a loop that must not end: where the append throws, that is logged, and the listener hears {@link
     * AppendResult#OUTCOME_UNKNOWN} on the calling thread.
     */
    default void appendGuarded(Fact fact, FactListener listener) {
        try {
            append(fact, listener);
        } catch (RuntimeException e) {
            LoggerFactory.getLogger(FactAppender.class).error("event=fact_not_appended kind={}", fact.kind(), e);
            listener.completed(AppendResult.OUTCOME_UNKNOWN, -1);
        }
    }
}
