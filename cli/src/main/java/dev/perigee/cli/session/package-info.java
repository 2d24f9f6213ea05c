/** What every command is made of: where the servers are, how it prints, how it ends. */
@NullMarked
package dev.perigee.cli.session;

import org.jspecify.annotations.NullMarked;
