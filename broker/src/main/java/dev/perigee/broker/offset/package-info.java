/** Consumer offsets: the view, the commits not yet logged, and the requests about positions in queues. */
@NullMarked
package dev.perigee.broker.offset;

import org.jspecify.annotations.NullMarked;
