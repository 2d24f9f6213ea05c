/** Microbenchmarks of the hot paths. Each class says what one operation is; all run on one thread. */
@NullMarked
package dev.perigee.bench.jmh;

import org.jspecify.annotations.NullMarked;
