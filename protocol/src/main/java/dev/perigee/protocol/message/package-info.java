/** Messages, their ids, and the frames they are stored and sent in. */
@NullMarked
package dev.perigee.protocol.message;

import org.jspecify.annotations.NullMarked;
