/** The store of one broker: its log, the loops that work on it, and the views folded over it, wired together. */
@NullMarked
package dev.perigee.store;

import org.jspecify.annotations.NullMarked;
