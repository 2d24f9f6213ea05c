/** A disk that loses power. */
@NullMarked
package dev.perigee.store.disk;

import org.jspecify.annotations.NullMarked;
