/** Microbenchmarks of pulls, in the package of the broker whose reader they call. */
@NullMarked
package dev.perigee.broker.pull;

import org.jspecify.annotations.NullMarked;
