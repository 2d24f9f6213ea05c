/** What push and pull consumers share: who owns which queue, pulling, flow control, offsets. Lives on the client loop. */
@NullMarked
package dev.perigee.client.queue;

import org.jspecify.annotations.NullMarked;
