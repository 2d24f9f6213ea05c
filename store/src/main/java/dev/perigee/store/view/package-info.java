/** Folds over the confirmed log, and the loop that feeds them. */
@NullMarked
package dev.perigee.store.view;

import org.jspecify.annotations.NullMarked;
