/** Taking messages: checks, properties, frames, and the answer when they are stored. The hottest path of the broker. */
@NullMarked
package dev.perigee.broker.send;

import org.jspecify.annotations.NullMarked;
