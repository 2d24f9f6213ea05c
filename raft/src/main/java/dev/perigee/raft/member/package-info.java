/** Who belongs to a group: values, and the projection of the facts of the log that name them. */
@NullMarked
package dev.perigee.raft.member;

import org.jspecify.annotations.NullMarked;
