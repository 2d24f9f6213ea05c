/** Raft with one rule taken away: the simulated group or a scenario must show it. */
@NullMarked
package dev.perigee.raft.mutant;

import org.jspecify.annotations.NullMarked;
