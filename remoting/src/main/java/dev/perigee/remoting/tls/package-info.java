/** Encryption as an operator sets it: the keys, what they mean together, and the files they name. */
@NullMarked
package dev.perigee.remoting.tls;

import org.jspecify.annotations.NullMarked;
