/** How one message is shown. */
@NullMarked
package dev.perigee.cli.message;

import org.jspecify.annotations.NullMarked;
