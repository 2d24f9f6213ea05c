/** How views' entries get into their files, away from the loop that folds them in. */
@NullMarked
package dev.perigee.store.block;

import org.jspecify.annotations.NullMarked;
