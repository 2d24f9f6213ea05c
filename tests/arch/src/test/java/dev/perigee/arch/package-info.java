/** The rules of ARCHITECTURE.md and STYLE.md that a machine can check. */
@NullMarked
package dev.perigee.arch;

import org.jspecify.annotations.NullMarked;
