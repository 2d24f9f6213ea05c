package dev.perigee.client.listener;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.MessageExt;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All who look on at a consumer: a call begins for them in the order they were named and ends in the reverse one. One that throws,
 * whatever it throws, is passed over.
 *
 * @param all the observers
 */
@Immutable
public record ConsumeObservers(List<ConsumeObserver> all) {
    /** Nobody looks on. */
    public static final ConsumeObservers NONE = new ConsumeObservers(List.of());

    private static final Logger LOG = LoggerFactory.getLogger(ConsumeObservers.class);
    private static final @Nullable Object[] NOTHING = {};

    public ConsumeObservers {
        all = List.copyOf(all);
    }

    /** How a call ended: what the listener returned, or what it threw. */
    record End(
            @Nullable ConsumeResult result,
            Outcome outcome,
            long costNs,
            @Nullable Throwable failure) {}

    /** Whether nobody looks on. */
    boolean isEmpty() {
        return all.isEmpty();
    }

    /** What each observer wants to be told at the end. */
    @Nullable
    Object[] begun(String group, List<MessageExt> messages) {
        if (all.isEmpty()) {
            return NOTHING;
        }
        @Nullable Object[] begun = new @Nullable Object[all.size()];
        for (int i = 0; i < begun.length; i++) {
            try {
                begun[i] = all.get(i).begun(group, messages);
            } catch (RuntimeException | Error e) { // code of the user
                LOG.warn("event=consume_observer_failed group={}", group, e);
            }
        }
        return begun;
    }

    /** Tells those whose beginning did not fail, the last one first. */
    void ended(@Nullable Object[] begun, End end) {
        for (int i = begun.length - 1; i >= 0; i--) {
            Object given = begun[i];
            if (given == null) {
                continue;
            }
            try {
                all.get(i)
                        .ended(given, end.result, end.outcome, TimeUnit.NANOSECONDS.toMillis(end.costNs), end.failure);
            } catch (RuntimeException | Error e) { // code of the user
                LOG.warn("event=consume_observer_failed outcome={}", end.outcome, e);
            }
        }
    }
}
