package dev.perigee.client.hook;

import dev.perigee.client.error.ClientException;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.message.MessageQueue;
import org.jspecify.annotations.Nullable;

/**
 * How the send of one message ended.
 *
 * @param message as it was sent
 * @param messageId its unique key
 * @param queue where it was stored; of a failed send, the queue the caller chose, or null
 * @param brokerAddress who stored it, or failed to last; empty when that is not known, and nobody was asked
 * @param startedMs when the send began, wall clock
 * @param costMs how long it took, retries and waiting in a batch included
 * @param result what the broker said, of this message alone; null when the send failed
 * @param failure why it failed; null when it did not
 */
public record SentMessage(
        Message message,
        String messageId,
        @Nullable MessageQueue queue,
        String brokerAddress,
        long startedMs,
        long costMs,
        @Nullable SendResult result,
        @Nullable ClientException failure) {}
