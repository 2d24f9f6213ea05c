/** Which replicas a master counts, and what it confirms. */
@NullMarked
package dev.perigee.replica.sync;

import org.jspecify.annotations.NullMarked;
