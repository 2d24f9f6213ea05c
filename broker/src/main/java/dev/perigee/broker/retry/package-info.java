/** What becomes of a message whose consumption failed: it comes again after a while, or goes to the dead letters. */
@NullMarked
package dev.perigee.broker.retry;

import org.jspecify.annotations.NullMarked;
