/** Custom headers of group administration and consume progress. */
@NullMarked
package dev.perigee.protocol.header.group;

import org.jspecify.annotations.NullMarked;
