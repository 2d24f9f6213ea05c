/** The commit log as bytes: its segments, how they are read, and how far they may be seen. */
@NullMarked
package dev.perigee.store.log;

import org.jspecify.annotations.NullMarked;
