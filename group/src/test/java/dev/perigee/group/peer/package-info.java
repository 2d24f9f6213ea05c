/** Who the other members of a group are, and whether this process may be one of them: what is asked before it takes part for long. */
@NullMarked
package dev.perigee.group.peer;

import org.jspecify.annotations.NullMarked;
