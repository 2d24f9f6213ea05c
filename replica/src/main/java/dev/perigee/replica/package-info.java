/** What a master and its replicas have in common: who they are, what they say of their logs, and the figures of the stream. */
@NullMarked
package dev.perigee.replica;

import org.jspecify.annotations.NullMarked;
