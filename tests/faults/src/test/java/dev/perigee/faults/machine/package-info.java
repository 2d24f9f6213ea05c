/** What a rig borrows of the machine: networks, disks and clocks, for each node its own, that can be broken and healed. */
@NullMarked
package dev.perigee.faults.machine;

import org.jspecify.annotations.NullMarked;
