/** How long the log is kept: by age in log time and by space, never before everything live was restated. */
@NullMarked
package dev.perigee.store.retention;

import org.jspecify.annotations.NullMarked;
