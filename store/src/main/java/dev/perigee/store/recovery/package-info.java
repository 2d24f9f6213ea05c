/** What happens to a log between the end of one process and the start of the next. */
@NullMarked
package dev.perigee.store.recovery;

import org.jspecify.annotations.NullMarked;
