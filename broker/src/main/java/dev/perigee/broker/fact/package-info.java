/** How handlers change what is durable: decisions on the view loop, one per key at a time, and reading what was written. */
@NullMarked
package dev.perigee.broker.fact;

import org.jspecify.annotations.NullMarked;
