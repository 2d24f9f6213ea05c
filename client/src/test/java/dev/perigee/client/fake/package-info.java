/** A name server and brokers that keep everything in memory and can be told to misbehave. */
@NullMarked
package dev.perigee.client.fake;

import org.jspecify.annotations.NullMarked;
