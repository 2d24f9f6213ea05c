/** Reading numbers, decimal text and JSON straight from byte arrays, without making objects. */
@NullMarked
package dev.perigee.protocol.scan;

import org.jspecify.annotations.NullMarked;
