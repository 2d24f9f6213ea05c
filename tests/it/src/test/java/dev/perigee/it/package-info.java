/** What holds when real processes are killed, rebuilt and watched. */
@NullMarked
package dev.perigee.it;

import org.jspecify.annotations.NullMarked;
