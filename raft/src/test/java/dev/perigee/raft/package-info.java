/** What single parts of Raft promise, and one node under any events. */
@NullMarked
package dev.perigee.raft;

import org.jspecify.annotations.NullMarked;
