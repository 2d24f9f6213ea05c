/** Making the broker known to NameServers. */
@NullMarked
package dev.perigee.broker.registration;

import org.jspecify.annotations.NullMarked;
