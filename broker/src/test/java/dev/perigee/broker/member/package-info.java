/** A member of a group towards clients: it serves as the master while it leads, and else hands over what came to it. */
@NullMarked
package dev.perigee.broker.member;

import org.jspecify.annotations.NullMarked;
