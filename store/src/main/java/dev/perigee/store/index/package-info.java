/** The key index: which frames carry a key, in hash files that are a cache of the log. */
@NullMarked
package dev.perigee.store.index;

import org.jspecify.annotations.NullMarked;
