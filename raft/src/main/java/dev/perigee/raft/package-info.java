/**
 * Raft over a log that is addressed by byte offsets: a state machine without thread, clock, chance, file or socket. What happens is
 * told to {@link dev.perigee.raft.RaftNode}, and what is to be done comes back as {@link dev.perigee.raft.Effects}.
 *
 * <p>"Raft §n" in comments is a section of Ongaro and Ousterhout, <i>In Search of an Understandable Consensus Algorithm (Extended
 * Version)</i>, 2014; "thesis §n" one of Ongaro, <i>Consensus: Bridging Theory and Practice</i>, 2014; "Rn" a rule of
 * docs/replication-rules.md.
 */
@NullMarked
package dev.perigee.raft;

import org.jspecify.annotations.NullMarked;
