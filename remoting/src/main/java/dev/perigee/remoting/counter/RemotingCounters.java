package dev.perigee.remoting.counter;

/**
 * What one server or client has counted since it started.
 *
 * @param openConnections connections open now
 * @param acceptedConnections connections ever opened
 * @param refusedConnections connections refused because of the limit
 * @param malformedFrames frames that could not be read; each closed its connection
 * @param lateAnswers answers nobody waited for any more
 * @param repeatedReplies replies given a second time, and ignored
 * @param droppedOneways one-way requests not sent because the connection was closed or too full
 * @param timedOutCalls calls that got no answer by their deadline
 * @param idleCloses connections closed because nothing moved on them
 * @param requests requests received
 * @param bytesIn bytes received in frames
 * @param bytesOut bytes handed to the transport
 */
public record RemotingCounters(
        long openConnections,
        long acceptedConnections,
        long refusedConnections,
        long malformedFrames,
        long lateAnswers,
        long repeatedReplies,
        long droppedOneways,
        long timedOutCalls,
        long idleCloses,
        long requests,
        long bytesIn,
        long bytesOut) {}
