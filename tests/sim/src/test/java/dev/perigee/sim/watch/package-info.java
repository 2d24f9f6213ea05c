/** Looks at what brokers confirm after every event, and what must hold of it, one class each. */
@NullMarked
package dev.perigee.sim.watch;

import org.jspecify.annotations.NullMarked;
