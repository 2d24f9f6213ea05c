/** What the marks in stored frames say, by which views know what waits, and the clock it waits by. */
@NullMarked
package dev.perigee.broker.mark;

import org.jspecify.annotations.NullMarked;
