/** Scenarios as text: what happens to the nodes of a group, line by line, and what they want done. */
@NullMarked
package dev.perigee.raft.script;

import org.jspecify.annotations.NullMarked;
