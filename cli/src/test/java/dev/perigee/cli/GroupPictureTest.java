package dev.perigee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@code perigee raft status} says of a group in which nobody leads. */
final class GroupPictureTest {
    private static final List<RaftMember> MEMBERS = List.of(
            new RaftMember("n0", "a0", "h:1", true),
            new RaftMember("n1", "a1", "h:2", true),
            new RaftMember("n2", "a2", "h:3", true));

    private static RaftStatus status(String id, String nodeId, String role, boolean sure) {
        return new RaftStatus("g", id, nodeId, "h:1", role, 7, null, false, false, sure, 100, 100, MEMBERS);
    }

    private static Optional<String> why(List<RaftStatus> statuses) {
        return GroupPicture.of(statuses, "").whyNobodyLeads();
    }

    @Test
    void whoMustComeBackIsNamedWhereADiskIsGoneBesideAMemberThatIsNotSure() {
        assertThat(why(List.of(
                        status("n0", "a0", "PRE_CANDIDATE", true),
                        status("n1", "a1", "FOLLOWER", false),
                        status("n2", "ff", "FOLLOWER", false))))
                .contains("Nobody leads. Needed: 2 of 3 voters that are sure of what they held. Sure: n0. Not sure: n1."
                        + " Not there with the disk they had: n2. Who is not sure counts only when all voters are there:"
                        + " nobody will lead before n2 is back with that disk, or 2 are sure.");
    }

    @Test
    void whoDoesNotAnswerIsNamed() {
        assertThat(why(List.of(status("n1", "a1", "PRE_CANDIDATE", true))))
                .contains(
                        "Nobody leads. Needed: 2 of 3 voters that are sure of what they held. Sure: n1. Not sure: none."
                                + " Not there with the disk they had: n0, n2.");
    }

    @Test
    void whereOneLeadsNothingIsSaid() {
        assertThat(why(List.of(status("n0", "a0", "LEADER", true), status("n1", "a1", "FOLLOWER", false))))
                .isEmpty();
    }

    @Test
    void whereNobodyAnswersNothingIsKnown() {
        assertThat(why(List.of())).isEmpty();
    }
}
