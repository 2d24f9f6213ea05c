package dev.perigee.client.trace;

import dev.perigee.loop.Immutable;

/**
 * What became of the notes of a client. Each note taken is written, waiting or on its way, or dropped.
 *
 * @param noted notes taken
 * @param written notes whose message a broker took
 * @param dropped notes that are lost: too many waited, their message failed, or they came after the close
 * @param waiting notes that wait to be sent
 */
@Immutable
public record TraceMetrics(long noted, long written, long dropped, int waiting) {
    /** Of a client that does not trace. */
    public static final TraceMetrics NONE = new TraceMetrics(0, 0, 0, 0);
}
