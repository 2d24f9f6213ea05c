/**
 * The seam below connections: a transport binds ports, connects, moves bytes and owns the event loops. Real sockets and
 * the in-memory network of the simulation are its two implementations.
 */
@NullMarked
package dev.perigee.remoting.transport;

import org.jspecify.annotations.NullMarked;
