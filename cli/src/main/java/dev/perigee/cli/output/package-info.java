/** What commands print: tables, JSON, progress and errors. */
@NullMarked
package dev.perigee.cli.output;

import org.jspecify.annotations.NullMarked;
