/** A log of hand-made frames, and tests of the view loop and its checkpoints. */
@NullMarked
package dev.perigee.store.view;

import org.jspecify.annotations.NullMarked;
