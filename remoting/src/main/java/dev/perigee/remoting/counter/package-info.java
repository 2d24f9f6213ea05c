/** What a server or client has counted, for whoever shows it. */
@NullMarked
package dev.perigee.remoting.counter;

import org.jspecify.annotations.NullMarked;
