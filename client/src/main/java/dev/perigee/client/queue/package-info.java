/** What push and pull consumers share: who owns which queue, pulling and flow control. Lives on the client loop. */
@NullMarked
package dev.perigee.client.queue;

import org.jspecify.annotations.NullMarked;
