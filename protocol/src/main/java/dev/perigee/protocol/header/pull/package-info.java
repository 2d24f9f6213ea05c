/** Custom headers of pulling. */
@NullMarked
package dev.perigee.protocol.header.pull;

import org.jspecify.annotations.NullMarked;
