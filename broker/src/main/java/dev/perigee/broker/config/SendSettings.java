package dev.perigee.broker.config;

import dev.perigee.loop.Immutable;

/**
 * Limits and marks of sending.
 *
 * @param maxBodyBytes largest message body
 * @param region region written to every message
 * @param maxSendWaitMs a send that waited longer in the broker is expired
 * @param maxOtherWaitMs any other request that waited longer is expired
 * @param traceTopic the trace topic to create; empty = none
 * @param delayLevels the named delays
 * @param maxDelaySec how far ahead a message may name its time
 * @param recall whether messages that wait may be taken back
 * @param storeReplies whether a reply that reached its requester is stored too
 */
@Immutable
public record SendSettings(
        int maxBodyBytes,
        String region,
        int maxSendWaitMs,
        int maxOtherWaitMs,
        String traceTopic,
        DelayLevels delayLevels,
        long maxDelaySec,
        boolean recall,
        boolean storeReplies) {}
