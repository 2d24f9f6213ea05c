/** Custom headers of asking for, committing and resetting offsets. */
@NullMarked
package dev.perigee.protocol.header.offset;

import org.jspecify.annotations.NullMarked;
