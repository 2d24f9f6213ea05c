/** Which writer wrote which part of a log, whom it names as in sync, and where two logs part. */
@NullMarked
package dev.perigee.store.epoch;

import org.jspecify.annotations.NullMarked;
