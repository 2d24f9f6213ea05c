/** Messages that wait until they are due: which do, and delivering them. */
@NullMarked
package dev.perigee.broker.timer;

import org.jspecify.annotations.NullMarked;
