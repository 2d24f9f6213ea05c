/** The writer of the log, against a disk that loses power. */
@NullMarked
package dev.perigee.store.append;

import org.jspecify.annotations.NullMarked;
