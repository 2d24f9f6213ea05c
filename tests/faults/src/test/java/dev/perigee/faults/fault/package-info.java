/** Faults by name, and plans of them drawn from a seed. */
@NullMarked
package dev.perigee.faults.fault;

import org.jspecify.annotations.NullMarked;
