/** The parts of the log's writer: place, time and epoch of what comes next, writing it, and making it durable. */
@NullMarked
package dev.perigee.store.tail;

import org.jspecify.annotations.NullMarked;
