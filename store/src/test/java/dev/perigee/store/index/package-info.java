/** The key index against plain models. */
@NullMarked
package dev.perigee.store.index;

import org.jspecify.annotations.NullMarked;
