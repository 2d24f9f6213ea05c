/** The JSON dialect of bodies. */
@NullMarked
package dev.perigee.protocol.json;

import org.jspecify.annotations.NullMarked;
