/** Stored frames as the log sees them: where things lie in one, what only the log loop writes into it, and whether one is sound. */
@NullMarked
package dev.perigee.store.frame;

import org.jspecify.annotations.NullMarked;
