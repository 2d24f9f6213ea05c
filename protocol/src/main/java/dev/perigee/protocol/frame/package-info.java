/** Frames: one command on the wire, its header in two serializations, and the cursor and sink that header types use. */
@NullMarked
package dev.perigee.protocol.frame;

import org.jspecify.annotations.NullMarked;
