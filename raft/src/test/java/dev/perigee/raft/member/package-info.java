/** Who belongs to a group, and how that changes. */
@NullMarked
package dev.perigee.raft.member;

import org.jspecify.annotations.NullMarked;
