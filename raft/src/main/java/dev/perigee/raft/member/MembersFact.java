package dev.perigee.raft.member;

import dev.perigee.loop.Immutable;

/**
 * Who the members are, as the log says, and where it says so.
 *
 * @param members the members from there on
 * @param factEnd the byte after the fact (exclusive); 0 for what is only configured
 */
@Immutable
public record MembersFact(Members members, long factEnd) {}
