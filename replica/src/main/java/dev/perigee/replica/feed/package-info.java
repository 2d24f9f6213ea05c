/** What a master sends to its replicas. */
@NullMarked
package dev.perigee.replica.feed;

import org.jspecify.annotations.NullMarked;
