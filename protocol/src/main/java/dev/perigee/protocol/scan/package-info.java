/** Reading numbers and decimal text straight from byte arrays, without making objects. */
@NullMarked
package dev.perigee.protocol.scan;

import org.jspecify.annotations.NullMarked;
