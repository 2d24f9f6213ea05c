/** The members of consumer groups in a cluster, their listeners, and who asks the broker about them. */
@NullMarked
package dev.perigee.sim.group;

import org.jspecify.annotations.NullMarked;
