/** How the queues of a topic are shared among the members of a group: pure functions, the same on client and broker. */
@NullMarked
package dev.perigee.protocol.allocate;

import org.jspecify.annotations.NullMarked;
