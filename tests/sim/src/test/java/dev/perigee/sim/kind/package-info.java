/** Random sequences of all kinds of messages, crashes, restarts and consumption, against a plain model. */
@NullMarked
package dev.perigee.sim.kind;

import org.jspecify.annotations.NullMarked;
