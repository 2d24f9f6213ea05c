/** Consume queues: which frames belong to a topic's queue, in files of 20-byte entries with their tails in memory. */
@NullMarked
package dev.perigee.store.queue;

import org.jspecify.annotations.NullMarked;
