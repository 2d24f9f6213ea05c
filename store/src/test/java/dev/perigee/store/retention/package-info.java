/** Retention on a clock and a disk of the test's own. */
@NullMarked
package dev.perigee.store.retention;

import org.jspecify.annotations.NullMarked;
