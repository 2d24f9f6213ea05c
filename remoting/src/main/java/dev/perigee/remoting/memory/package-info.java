/** The transport without sockets or threads: the caller steps it, and its clock is the caller's. */
@NullMarked
package dev.perigee.remoting.memory;

import org.jspecify.annotations.NullMarked;
