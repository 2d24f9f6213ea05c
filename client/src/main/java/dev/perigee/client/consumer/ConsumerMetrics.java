package dev.perigee.client.consumer;

/**
 * What a consumer did so far. Counters only grow; the numbers are read one after the other, not at one instant.
 *
 * @param received messages pulled and handed on
 * @param consumed messages a listener finished, or a poll returned
 * @param failed messages a listener did not finish, each time counted
 * @param sentBack failed messages the broker took back
 * @param listenerMs time spent in the listener, summed
 * @param queues queues owned right now
 * @param cachedMessages messages pulled and not finished right now
 * @param cachedBytes bytes of these
 */
public record ConsumerMetrics(
        long received,
        long consumed,
        long failed,
        long sentBack,
        long listenerMs,
        int queues,
        long cachedMessages,
        long cachedBytes) {}
