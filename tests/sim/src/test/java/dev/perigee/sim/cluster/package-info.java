/** Name servers, brokers and the loops of clients on one thread, with a clock, network and disks that do as they are told. */
@NullMarked
package dev.perigee.sim.cluster;

import org.jspecify.annotations.NullMarked;
