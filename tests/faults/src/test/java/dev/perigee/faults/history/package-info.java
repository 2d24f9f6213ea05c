/** What clients saw, operation by operation, and what is wrong with it. */
@NullMarked
package dev.perigee.faults.history;

import org.jspecify.annotations.NullMarked;
