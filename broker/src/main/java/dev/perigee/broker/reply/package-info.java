/** Replies of request-reply messaging: pushed to the client that waits, then stored. */
@NullMarked
package dev.perigee.broker.reply;

import org.jspecify.annotations.NullMarked;
