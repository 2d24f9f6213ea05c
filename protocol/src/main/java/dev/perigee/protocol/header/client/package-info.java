/** Custom headers of client sessions: heartbeats, membership and relayed requests. */
@NullMarked
package dev.perigee.protocol.header.client;

import org.jspecify.annotations.NullMarked;
