/** Loops, clocks, the words that say who owns what, and closing what a start had opened. Depends on nothing of Perigee. */
@NullMarked
package dev.perigee.loop;

import org.jspecify.annotations.NullMarked;
