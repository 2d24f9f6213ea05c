/** What happened in a run, as those who watch it see it: calls, acknowledgements, offsets, looks at the members. */
@NullMarked
package dev.perigee.sim.ledger;

import org.jspecify.annotations.NullMarked;
