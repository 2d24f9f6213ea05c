/** Addresses, ports and names as an operator sets them, checked before anything is opened. */
@NullMarked
package dev.perigee.remoting.address;

import org.jspecify.annotations.NullMarked;
