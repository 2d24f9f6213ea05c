/** Faults planted in the product, each of which a listed run must find: proof that the simulation can fail. */
@NullMarked
package dev.perigee.sim.mutant;

import org.jspecify.annotations.NullMarked;
