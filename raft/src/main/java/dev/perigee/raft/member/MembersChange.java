package dev.perigee.raft.member;

import dev.perigee.loop.Immutable;
import java.util.Optional;

/** What may be asked to change of the members: one node at a time (thesis §4.1), so that any two majorities share a node. */
public sealed interface MembersChange {
    /** Why it makes no sense for these members; empty when it does. */
    Optional<String> refusal(Members members);

    /** The members after it; only where there is no {@link #refusal}. */
    Members appliedTo(Members members);

    /**
     * A new node receives the log and does not count yet (thesis §4.2.1).
     *
     * @param learner with its node id, which it was asked for
     */
    @Immutable
    record Add(Member learner) implements MembersChange {
        @Override
        public Optional<String> refusal(Members members) {
            if (learner.nodeId() == 0) {
                return Optional.of("the node id of " + learner + " is not known");
            }
            if (members.find(learner.id()).isPresent()) {
                return Optional.of(
                        learner.id() + " is a member already of the group, which has " + Members.names(members.all()));
            }
            return members.all().size() < Members.MAX_MEMBERS
                    ? Optional.empty()
                    : Optional.of("the group has " + Members.MAX_MEMBERS + " members, and may not have more");
        }

        @Override
        public Members appliedTo(Members members) {
            return members.withLearner(learner);
        }
    }

    /** A learner gets a vote. */
    @Immutable
    record Promote(String id) implements MembersChange {
        @Override
        public Optional<String> refusal(Members members) {
            if (members.find(id).isEmpty()) {
                return Optional.of(members.refusalOfStranger(id));
            }
            return members.isVoter(id)
                    ? Optional.of(id + " votes already: the voters are " + Members.names(members.voters()))
                    : Optional.empty();
        }

        @Override
        public Members appliedTo(Members members) {
            return members.withVoter(members.find(id).orElseThrow());
        }
    }

    /** A member, voter or learner, leaves; also the leader, which leads until that is confirmed (thesis §4.2.2). */
    @Immutable
    record Remove(String id) implements MembersChange {
        @Override
        public Optional<String> refusal(Members members) {
            if (members.find(id).isEmpty()) {
                return Optional.of(members.refusalOfStranger(id));
            }
            return members.isVoter(id) && members.voters().size() == 1
                    ? Optional.of(id + " is the last voter: without it nobody would lead")
                    : Optional.empty();
        }

        @Override
        public Members appliedTo(Members members) {
            return members.without(id);
        }
    }
}
