/** Consuming: the push consumer with its listeners, and the pull consumer. */
@NullMarked
package dev.perigee.client.consumer;

import org.jspecify.annotations.NullMarked;
