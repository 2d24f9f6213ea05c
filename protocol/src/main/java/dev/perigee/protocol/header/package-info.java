/** Annotations that say how a header record looks on the wire; the records are in the packages below, by concept. */
@NullMarked
package dev.perigee.protocol.header;

import org.jspecify.annotations.NullMarked;
