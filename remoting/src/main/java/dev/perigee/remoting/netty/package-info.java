/** The transport over real sockets. The only package of Perigee that sees Netty. */
@NullMarked
package dev.perigee.remoting.netty;

import org.jspecify.annotations.NullMarked;
