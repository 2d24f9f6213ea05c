/** The model of this Raft in docs/model: its page names what is there, and spin looks it through. */
@NullMarked
package dev.perigee.raft.model;

import org.jspecify.annotations.NullMarked;
