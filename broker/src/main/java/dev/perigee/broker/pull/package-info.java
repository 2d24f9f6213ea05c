/** Reading messages by queue offset, and waiting for them. */
@NullMarked
package dev.perigee.broker.pull;

import org.jspecify.annotations.NullMarked;
