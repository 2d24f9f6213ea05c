/** A name server, a broker and the loops of clients on one thread, with a clock, network and disk that do as they are told. */
@NullMarked
package dev.perigee.sim.cluster;

import org.jspecify.annotations.NullMarked;
