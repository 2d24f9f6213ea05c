/** Custom headers of name servers: registration and routes. */
@NullMarked
package dev.perigee.protocol.header.route;

import org.jspecify.annotations.NullMarked;
