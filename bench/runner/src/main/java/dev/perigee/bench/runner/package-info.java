/** Side-by-side measurements: one server at a time, the same load, runs in turn. */
@NullMarked
package dev.perigee.bench.runner;

import org.jspecify.annotations.NullMarked;
