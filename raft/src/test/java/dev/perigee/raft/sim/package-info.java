/** A whole group on one thread: nodes, their disks and the network between them, with faults drawn from a seed. */
@NullMarked
package dev.perigee.raft.sim;

import org.jspecify.annotations.NullMarked;
