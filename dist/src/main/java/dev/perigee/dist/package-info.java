/** The process: starts a name server, a broker or both, and runs the commands of the command line. */
@NullMarked
package dev.perigee.dist;

import org.jspecify.annotations.NullMarked;
