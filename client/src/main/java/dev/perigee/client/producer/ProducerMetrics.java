package dev.perigee.client.producer;

import dev.perigee.client.request.RequestCalls;
import dev.perigee.client.send.SendCounters;

/**
 * What a producer did so far. Counters only grow; the numbers are read one after the other, not at one instant.
 *
 * @param messages messages given to send calls, one-way ones included
 * @param bytes bytes of their bodies, before compression
 * @param stored messages a broker acknowledged
 * @param failed messages whose send failed; one-way ones not included
 * @param requests requests sent, retries included
 * @param retries requests that repeated an earlier one
 * @param answeredLatencyMs time from request to answer, summed over answered requests
 * @param droppedOneways one-way messages that did not leave: no route, no address, no connection, or one that was full
 * @param bufferedMessages messages on their way right now
 * @param bufferedBytes memory they hold
 * @param waitingRequests requests that wait for their reply right now
 * @param lateReplies replies that came when nobody waited for them any more, and were dropped
 * @param foreignChecks questions of brokers about transactions, which this producer knows nothing about
 */
public record ProducerMetrics(
        long messages,
        long bytes,
        long stored,
        long failed,
        long requests,
        long retries,
        long answeredLatencyMs,
        long droppedOneways,
        long bufferedMessages,
        long bufferedBytes,
        long waitingRequests,
        long lateReplies,
        long foreignChecks) {
    /** As of now; {@code notWritten} one-way messages found no room in a connection. */
    static ProducerMetrics of(LaneParts parts, RequestCalls requests, long notWritten, long foreignChecks) {
        SendCounters counted = parts.counters();
        return new ProducerMetrics(
                counted.messages.sum(),
                counted.bytes.sum(),
                counted.stored.sum(),
                counted.failed.sum(),
                counted.requests.sum(),
                counted.retries.sum(),
                counted.latencyMs.sum(),
                counted.droppedOneways.sum() + notWritten,
                parts.memory().usedMessages(),
                parts.memory().usedBytes(),
                requests.waiting(),
                requests.late(),
                foreignChecks);
    }
}
