/** Perigee as a process of its own, for tests that treat it as a black box. */
@NullMarked
package dev.perigee.compat;

import org.jspecify.annotations.NullMarked;
