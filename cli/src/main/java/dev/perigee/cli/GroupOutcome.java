package dev.perigee.cli;

import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/** Looks what comes of an order that a group's leader has taken, for it answers when it has begun. */
final class GroupOutcome {
    /** Longer than a leader waits for a successor, and for its offsets to be logged before. */
    private static final long LIMIT_MS = 10_000;

    private static final long LOOK_MS = 20;

    private final GroupQuestion question;

    GroupOutcome(GroupQuestion question) {
        this.question = question;
    }

    /**
     * The leader, when one serves as the master in a later term, or the member itself. Blocks.
     *
     * @param term the highest one before
     * @param member who is to lead; empty for whoever does
     */
    RaftStatus ledAfter(int term, String member) throws CommandException {
        return await(leader ->
                leader.serving() && (leader.term() > term || leader.self().equals(member)));
    }

    /** The leader, when what it says of the members is so, and a majority has it. Blocks. */
    RaftStatus confirmed(Predicate<RaftStatus> isSo) throws CommandException {
        return await(new Predicate<>() {
            private int term;
            private long wantedOffset = Long.MAX_VALUE;

            @Override
            public boolean test(RaftStatus leader) {
                if (!isSo.test(leader)) {
                    wantedOffset = Long.MAX_VALUE;
                    return false;
                }
                if (wantedOffset == Long.MAX_VALUE || leader.term() != term) {
                    term = leader.term();
                    wantedOffset = leader.endOffset(); // it stands before this
                }
                return leader.confirmOffset() >= wantedOffset;
            }
        });
    }

    private RaftStatus await(Predicate<RaftStatus> isDone) throws CommandException {
        long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LIMIT_MS);
        Optional<RaftStatus> leader = leader();
        while (leader.filter(isDone).isEmpty()) {
            if (System.nanoTime() > endNs) {
                throw new CommandException(
                        ExitCode.FAILED,
                        "the leader took the order, but " + LIMIT_MS + " ms later it is not seen to be done: "
                                + leader.map(status -> status.self() + " leads").orElse("nobody is seen to lead")
                                + " ('raft status' shows what comes of it)");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(LOOK_MS));
            leader = leader();
        }
        return leader.orElseThrow();
    }

    private Optional<RaftStatus> leader() {
        try {
            return question.picture().leader();
        } catch (ClientException | CommandException e) {
            return Optional.empty(); // for a moment, as when a new leader registers
        }
    }

    /** Whether that member belongs to the group, as this one says, and votes or does not. */
    static boolean has(RaftStatus status, String member, boolean voter) {
        return status.members().stream().anyMatch(each -> each.id().equals(member) && each.voter() == voter);
    }

    /** The ids of those that vote, as this one says. */
    static List<String> voters(RaftStatus status) {
        return status.members().stream()
                .filter(RaftMember::voter)
                .map(RaftMember::id)
                .toList();
    }
}
