/** Messages that are delivered only if a local transaction was: half messages, their decision, and the checks of brokers. */
@NullMarked
package dev.perigee.client.transaction;

import org.jspecify.annotations.NullMarked;
