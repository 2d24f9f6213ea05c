/** Files of the log. */
@NullMarked
package dev.perigee.store.log;

import org.jspecify.annotations.NullMarked;
