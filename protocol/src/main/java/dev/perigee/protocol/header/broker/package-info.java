/** Custom headers of broker administration. */
@NullMarked
package dev.perigee.protocol.header.broker;

import org.jspecify.annotations.NullMarked;
