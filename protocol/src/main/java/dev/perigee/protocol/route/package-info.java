/** Routes and registrations: what name servers keep and answer. */
@NullMarked
package dev.perigee.protocol.route;

import org.jspecify.annotations.NullMarked;
