/**
 * Headers of the frames by which brokers of one group elect their master; Perigee's own, on the port that the peers of a group name.
 * Every one says of which group it is, who says it and to whom: a node that hears what is not for it says so in its log.
 */
@NullMarked
package dev.perigee.protocol.header.raft;

import org.jspecify.annotations.NullMarked;
