/** Consume queues against plain models. */
@NullMarked
package dev.perigee.store.queue;

import org.jspecify.annotations.NullMarked;
