package dev.perigee.raft.member;

import dev.perigee.loop.Immutable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Who belongs to a group, as a fact of the log or, before there is one, as configured (Raft §6, thesis §4).
 *
 * @param voters those whose majority decides, in the order of the fact
 * @param learners those that receive the log and count for nothing (thesis §4.2.1)
 */
@Immutable
public record Members(List<Member> voters, List<Member> learners) {
    /** More are refused: the log goes to each of them. */
    public static final int MAX_MEMBERS = 32;

    public Members {
        voters = List.copyOf(voters);
        learners = List.copyOf(learners);
        List<String> ids = Stream.concat(voters.stream(), learners.stream())
                .map(Member::id)
                .toList();
        if (ids.stream().distinct().count() != ids.size()) {
            throw new IllegalArgumentException("members " + ids + ", each id may stand there once");
        }
        if (voters.isEmpty() || ids.size() > MAX_MEMBERS) {
            throw new IllegalArgumentException(
                    "members " + ids + ", wanted at least one voter and at most " + MAX_MEMBERS);
        }
    }

    /** What a node is among members. */
    public enum Place {
        /** Nobody's log tells who they are, as long as the group has not begun. */
        UNTOLD,
        /** It is none of them: not yet, not any more, or it lost its folder (R6). */
        NONE,
        LEARNER,
        VOTER
    }

    /** Members that all vote. */
    public static Members ofVoters(List<Member> voters) {
        return new Members(voters, List.of());
    }

    /** All of them, voters first. */
    public List<Member> all() {
        return Stream.concat(voters.stream(), learners.stream()).toList();
    }

    /** The member of that id, voter or learner. */
    public Optional<Member> find(String id) {
        return all().stream().filter(member -> member.id().equals(id)).findFirst();
    }

    /** Whether that id has a vote. */
    public boolean isVoter(String id) {
        return voters.stream().anyMatch(voter -> voter.id().equals(id));
    }

    /** What the node of that id and folder is among them. */
    public Place placeOf(String id, long nodeId) {
        if (all().stream().anyMatch(member -> member.nodeId() == 0)) {
            return Place.UNTOLD;
        }
        if (find(id).filter(member -> member.is(id, nodeId)).isEmpty()) {
            return Place.NONE;
        }
        return isVoter(id) ? Place.VOTER : Place.LEARNER;
    }

    /** Why nothing is done with one that is not among them, for a person: without the names of folders. */
    public String refusalOfStranger(String id) {
        return id + " is no member of the group, which has " + names(all());
    }

    /** Their ids, for a person. */
    public static String names(List<Member> members) {
        return members.stream().map(Member::id).collect(Collectors.joining(", "));
    }

    /** With one more that only receives. */
    public Members withLearner(Member learner) {
        List<Member> more = new ArrayList<>(learners);
        more.add(learner);
        return new Members(voters, more);
    }

    /** With a learner that votes from now on. */
    public Members withVoter(Member learner) {
        List<Member> more = new ArrayList<>(voters);
        more.add(learner);
        return new Members(more, without(learners, learner.id()));
    }

    /** Without the member of that id. */
    public Members without(String id) {
        return new Members(without(voters, id), without(learners, id));
    }

    private static List<Member> without(List<Member> members, String id) {
        return members.stream().filter(member -> !member.id().equals(id)).toList();
    }

    @Override
    public String toString() {
        return learners.isEmpty() ? voters.toString() : voters + " learners " + learners;
    }
}
