package dev.perigee.store.epoch;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.fact.Fact.MembersChanged;

/**
 * Members of a group of brokers, as a fact of the log names them.
 *
 * @param members who they are from there on
 * @param factEnd the byte after the fact (exclusive), which may lie before the start of a trimmed log
 */
@Immutable
public record MemberFact(MembersChanged members, long factEnd) {}
