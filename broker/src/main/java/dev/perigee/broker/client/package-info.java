/** Who is connected: producers, consumers and their subscriptions. Soft state, rebuilt by heartbeats. */
@NullMarked
package dev.perigee.broker.client;

import org.jspecify.annotations.NullMarked;
