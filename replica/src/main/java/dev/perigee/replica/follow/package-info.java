/** How a replica takes in what its master sends, and what it confirms. */
@NullMarked
package dev.perigee.replica.follow;

import org.jspecify.annotations.NullMarked;
