/** Values of options: how they are read and what they may be. */
@NullMarked
package dev.perigee.cli.option;

import org.jspecify.annotations.NullMarked;
