/** A whole cluster and its clients, stepped by one thread. */
@NullMarked
package dev.perigee.sim;

import org.jspecify.annotations.NullMarked;
