/** Custom headers of the name server's key-value table. */
@NullMarked
package dev.perigee.protocol.header.kv;

import org.jspecify.annotations.NullMarked;
