/** The transport over real sockets. The only package that sees Netty's channels and buffers. */
@NullMarked
package dev.perigee.remoting.netty;

import org.jspecify.annotations.NullMarked;
