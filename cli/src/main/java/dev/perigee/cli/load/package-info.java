/** Load: many messages, measured. */
@NullMarked
package dev.perigee.cli.load;

import org.jspecify.annotations.NullMarked;
