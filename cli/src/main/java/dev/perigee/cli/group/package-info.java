/** Commands on consumer groups: their settings, members, positions and dead letters. */
@NullMarked
package dev.perigee.cli.group;

import org.jspecify.annotations.NullMarked;
