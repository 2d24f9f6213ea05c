/** The command line: one class per noun, over the client module. */
@NullMarked
package dev.perigee.cli;

import org.jspecify.annotations.NullMarked;
