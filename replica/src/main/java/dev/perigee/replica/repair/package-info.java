/** Damaged bytes of a log come again from another node that holds them (R28). */
@NullMarked
package dev.perigee.replica.repair;

import org.jspecify.annotations.NullMarked;
