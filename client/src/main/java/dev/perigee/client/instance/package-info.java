/** One client process as brokers see it: its identity, connections, loop, routes and heartbeats. */
@NullMarked
package dev.perigee.client.instance;

import org.jspecify.annotations.NullMarked;
