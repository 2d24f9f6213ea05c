/** Ordered maps for views that outgrow memory: their entries on disk, with the place in the log they stand for. */
@NullMarked
package dev.perigee.store.kv;

import org.jspecify.annotations.NullMarked;
