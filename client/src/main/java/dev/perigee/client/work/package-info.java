/** The client's one loop: tasks handed over from other threads, and timers on the injected clock. */
@NullMarked
package dev.perigee.client.work;

import org.jspecify.annotations.NullMarked;
