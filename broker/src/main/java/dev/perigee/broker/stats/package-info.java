/** What passed through the broker, counted cheaply and sampled on a tick. Soft state. */
@NullMarked
package dev.perigee.broker.stats;

import org.jspecify.annotations.NullMarked;
