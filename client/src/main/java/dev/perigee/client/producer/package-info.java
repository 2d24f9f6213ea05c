/** Sending: the producer, its automatic batches, its retries and its choice of queues. */
@NullMarked
package dev.perigee.client.producer;

import org.jspecify.annotations.NullMarked;
