package dev.perigee.client.hook;

import dev.perigee.protocol.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * Looks on at the sends of a producer. Called on any thread, several at a time, event loops included: it must not block. What it
 * throws is logged and changes nothing.
 */
public interface SendObserver {
    /**
     * A message as it shall be sent, before it is checked; the one given, or one with more properties. Called on the thread that sends,
     * once for each message, also for one that is then refused.
     *
     * @return null leaves the message as it is
     */
    @Nullable
    Message prepare(Message message);

    /**
     * A send has ended, well or not. Called once for each message that passed the checks, those of a batch one after the other; never
     * for one-way messages, whose end nobody knows.
     */
    void ended(SentMessage what);
}
