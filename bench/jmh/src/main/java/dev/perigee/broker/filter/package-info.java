/** Microbenchmarks of filters, in the package of the broker whose parts they call. */
@NullMarked
package dev.perigee.broker.filter;

import org.jspecify.annotations.NullMarked;
