/** Parts of the writer. */
@NullMarked
package dev.perigee.store.tail;

import org.jspecify.annotations.NullMarked;
