/** Headers of the requests by which a replica follows its master; Perigee's own, on the replication port. */
@NullMarked
package dev.perigee.protocol.header.replica;

import org.jspecify.annotations.NullMarked;
