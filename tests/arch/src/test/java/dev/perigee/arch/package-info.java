/**
 * The rules of ARCHITECTURE.md and STYLE.md that a machine can check. All of them import the same packages with the same options and
 * choose what they are about themselves: ArchUnit reads the classes once then.
 */
@NullMarked
package dev.perigee.arch;

import org.jspecify.annotations.NullMarked;
