/** Asks brokers what they know, past everything that goes wrong. */
@NullMarked
package dev.perigee.sim.question;

import org.jspecify.annotations.NullMarked;
