/** Consuming by asking: the pull consumer. */
@NullMarked
package dev.perigee.client.pull;

import org.jspecify.annotations.NullMarked;
