/** Locks on queues, by which ordered consumers make sure that one of them reads a queue at a time. Soft state. */
@NullMarked
package dev.perigee.broker.lock;

import org.jspecify.annotations.NullMarked;
