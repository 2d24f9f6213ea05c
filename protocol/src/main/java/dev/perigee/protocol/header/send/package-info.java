/** Custom headers of sending, sending back and deciding transactions. */
@NullMarked
package dev.perigee.protocol.header.send;

import org.jspecify.annotations.NullMarked;
