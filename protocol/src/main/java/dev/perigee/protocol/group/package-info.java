/** Consumer groups: their configuration, subscriptions and names. */
@NullMarked
package dev.perigee.protocol.group;

import org.jspecify.annotations.NullMarked;
