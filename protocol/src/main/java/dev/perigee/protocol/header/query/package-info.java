/** Custom headers of looking up messages and index entries. */
@NullMarked
package dev.perigee.protocol.header.query;

import org.jspecify.annotations.NullMarked;
