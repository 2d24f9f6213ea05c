package dev.perigee.client.listener;

import dev.perigee.protocol.message.MessageExt;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks on at the calls of a listener. Called on the thread of the call, several at a time; must not block. What it throws is
 * logged and changes nothing.
 */
public interface ConsumeObserver {
    /**
     * A call is about to begin.
     *
     * @param messages what the listener is given; never empty
     * @return whatever is to be handed to {@link #ended}; null to be told nothing more about this call
     */
    @Nullable
    Object begun(String group, List<MessageExt> messages);

    /**
     * The call has ended, on the same thread.
     *
     * @param begun what {@link #begun} gave
     * @param result what the listener returned; null when it returned nothing or threw
     * @param outcome what is made of it
     * @param costMs how long the call took
     * @param failure what the listener threw; null when it returned
     */
    void ended(Object begun, @Nullable ConsumeResult result, Outcome outcome, long costMs, @Nullable Throwable failure);
}
