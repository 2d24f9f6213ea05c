/** Loops, clocks and the words that say who owns what. Depends on nothing of Perigee. */
@NullMarked
package dev.perigee.loop;

import org.jspecify.annotations.NullMarked;
