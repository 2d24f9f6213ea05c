/** Bringing one unit to a broker: choice of the queue, latency table, retries. */
@NullMarked
package dev.perigee.client.send;

import org.jspecify.annotations.NullMarked;
