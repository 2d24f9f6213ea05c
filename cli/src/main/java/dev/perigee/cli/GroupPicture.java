package dev.perigee.cli;

import dev.perigee.cli.output.Column;
import dev.perigee.loop.Immutable;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A group of brokers as those of its members show it that answer.
 *
 * @param lines one for each that the highest term's members name, and for each that answers besides
 * @param whyNone what there is to say where none answers
 */
@Immutable
record GroupPicture(List<Line> lines, String whyNone) {
    /** The folder of a member of a group that has not begun. */
    private static final String UNBOUND = "0";

    /** One member, as those that answer know it. */
    record Line(
            String id,
            @Nullable RaftMember member,
            @Nullable RaftStatus status) {
        private @Nullable Object of(Function<RaftStatus, @Nullable Object> part) {
            return status == null ? null : part.apply(status);
        }

        private String role() {
            return status == null ? "does not answer" : status.role();
        }

        private @Nullable String votes() {
            return member == null ? "no member" : member.voter() ? "yes" : "no";
        }

        private boolean leads() {
            return status != null && status.role().equals("LEADER");
        }

        private boolean isVoter() {
            return member != null && member.voter();
        }

        /** Whether it answers from the folder that the group knows: an emptied disk is another member (R6). */
        private boolean isThere() {
            return status != null
                    && member != null
                    && (member.nodeId().equals(status.nodeId())
                            || member.nodeId().equals(UNBOUND));
        }

        private boolean isSure() {
            return isThere() && status != null && status.sure();
        }
    }

    /** What these say. */
    static GroupPicture of(List<RaftStatus> statuses, String whyNone) {
        Map<String, RaftStatus> byId = new TreeMap<>();
        statuses.forEach(status -> byId.put(status.self(), status));
        Map<String, RaftMember> members = new TreeMap<>();
        membersOf(statuses).forEach(member -> members.put(member.id(), member));
        List<Line> lines = new ArrayList<>();
        members.forEach((id, member) -> lines.add(new Line(id, member, byId.remove(id))));
        byId.forEach((id, status) -> lines.add(new Line(id, null, status)));
        return new GroupPicture(List.copyOf(lines), whyNone);
    }

    /** Who belongs to the group, as the one in the highest term says; none where nobody says anything. */
    static List<RaftMember> membersOf(List<RaftStatus> statuses) {
        return statuses.stream()
                .max(Comparator.comparingInt(RaftStatus::term))
                .map(RaftStatus::members)
                .orElse(List.of());
    }

    /** The columns of the lines. */
    static List<Column<Line>> columns() {
        return List.of(
                Column.text("Member", "member", Line::id),
                Column.text("Role", "role", Line::role),
                Column.text("Votes", "votes", Line::votes),
                Column.text("Sure", "sure", line -> line.of(RaftStatus::sure)),
                Column.number("Term", "term", line -> line.of(RaftStatus::term)),
                Column.text("Leader", "leader", line -> line.of(RaftStatus::leader)),
                Column.number("End", "endOffset", line -> line.of(RaftStatus::endOffset)),
                Column.number("Confirmed", "confirmOffset", line -> line.of(RaftStatus::confirmOffset)),
                Column.text(
                        "Address",
                        "address",
                        line -> line.member() == null ? null : line.member().address()),
                Column.json("serving", line -> line.of(RaftStatus::serving)),
                Column.json("inTouch", line -> line.of(RaftStatus::inTouch)),
                Column.json("nodeId", line -> line.of(RaftStatus::nodeId)));
    }

    /** Who leads in the highest term, as it says itself; empty where nobody does. */
    Optional<RaftStatus> leader() {
        return lines.stream()
                .filter(Line::leads)
                .flatMap(line -> Stream.ofNullable(line.status()))
                .max(Comparator.comparingInt(RaftStatus::term));
    }

    /** What is missing for a leader, as far as those that answer tell; empty where one leads, or nobody answers. */
    Optional<String> whyNobodyLeads() {
        List<Line> voters = lines.stream().filter(Line::isVoter).toList();
        if (voters.isEmpty() || lines.stream().anyMatch(Line::leads)) {
            return Optional.empty();
        }
        int needed = voters.size() / 2 + 1;
        List<String> sure = ids(voters, Line::isSure);
        List<String> restoring = ids(voters, line -> line.isThere() && !line.isSure());
        List<String> away = ids(voters, line -> !line.isThere());
        String counts = "Nobody leads. Needed: " + needed + " of " + voters.size()
                + " voters that are sure of what they held. Sure: " + names(sure) + ". Not sure: " + names(restoring)
                + ". Not there with the disk they had: " + names(away) + ".";
        boolean isForGood = sure.size() < needed && !restoring.isEmpty() && !away.isEmpty();
        return Optional.of(
                isForGood
                        ? counts + " Who is not sure counts only when all voters are there: nobody will lead before "
                                + names(away) + (away.size() == 1 ? " is" : " are") + " back with that disk, or "
                                + needed + " are sure."
                        : counts);
    }

    private static List<String> ids(List<Line> lines, Predicate<Line> which) {
        return lines.stream().filter(which).map(Line::id).toList();
    }

    private static String names(List<String> ids) {
        return ids.isEmpty() ? "none" : String.join(", ", ids);
    }
}
