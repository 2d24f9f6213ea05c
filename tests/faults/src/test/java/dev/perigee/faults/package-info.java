/** Runs real clusters under load and lets them have faults; counts what that cost. */
@NullMarked
package dev.perigee.faults;

import org.jspecify.annotations.NullMarked;
