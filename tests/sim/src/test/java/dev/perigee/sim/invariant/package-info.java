/** What must hold in every run, one class each. */
@NullMarked
package dev.perigee.sim.invariant;

import org.jspecify.annotations.NullMarked;
