/** The single writer of the log: requests, the log loop, the flusher, and who decides what is confirmed. */
@NullMarked
package dev.perigee.store.append;

import org.jspecify.annotations.NullMarked;
