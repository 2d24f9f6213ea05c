/** What goes wrong in a run, as a list of events: drawn by a seed, written down, done to a cluster, and shortened when a run fails. */
@NullMarked
package dev.perigee.sim.fault;

import org.jspecify.annotations.NullMarked;
