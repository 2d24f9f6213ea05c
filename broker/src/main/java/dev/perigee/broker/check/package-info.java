/** Checks that several handlers share, and the one table from append results to response codes. */
@NullMarked
package dev.perigee.broker.check;

import org.jspecify.annotations.NullMarked;
