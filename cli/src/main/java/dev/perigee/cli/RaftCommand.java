package dev.perigee.cli;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Groups of brokers that elect their master. */
@Command(
        name = "raft",
        description =
                "Show a group of brokers that elects its master; have another one lead; change who belongs to it.",
        synopsisSubcommandLabel = "COMMAND")
final class RaftCommand {
    private static final String BROKER = "The broker's name, or the address of one of its members.";

    /** The folder of a member of a group that has not begun. */
    private static final String UNBOUND = "0";

    RaftCommand() {}

    /** One member, as those that answer know it. */
    private record Line(
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

    @Command(name = "status", description = "Show each member: its role, its term, and how far its log is.")
    int status(
            @Parameters(paramLabel = "BROKER", description = BROKER) String broker,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            List<Column<Line>> columns = List.of(
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
            Asked asked = ask(admin, broker);
            List<RaftStatus> statuses = asked.told().stream().map(Told::status).toList();
            display.printer().rows(lines(statuses), columns, asked.whyNone(broker));
            if (broker.indexOf(':') < 0) { // one alone does not know of the others
                whyNobodyLeads(statuses).ifPresent(display.printer()::sentence);
            }
            return ExitCode.OK;
        });
    }

    @Command(name = "transfer", description = "Have another member lead. Sends wait for it and do not fail.")
    int transfer(
            @Parameters(paramLabel = "BROKER", description = BROKER) String broker,
            @Parameters(
                            arity = "0..1",
                            paramLabel = "MEMBER",
                            description = "Which one, such as n1; none for the one that holds most.")
                    @Nullable
                    String member,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            admin.brokers().raftTransfer(newest(admin, broker).address(), member == null ? "" : member);
            begun(display, "transfer", member == null ? "whoever holds most" : member);
            return ExitCode.OK;
        });
    }

    @Command(
            name = "add",
            description = "Take a new member in, which receives the log and counts for nothing until it is promoted.")
    int add(
            @Parameters(paramLabel = "BROKER", description = BROKER) String broker,
            @Parameters(
                            paramLabel = "ADDRESS",
                            description =
                                    "Where clients reach the new member, which runs with an empty folder: host:port.")
                    String address,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            RaftStatus fresh = admin.brokers().raftStatus(address);
            Told told = newest(admin, broker);
            requireFit(address, fresh, told.status());
            admin.brokers().raftAdd(told.address(), fresh.self(), fresh.nodeId(), ownAddress(address, fresh));
            begun(display, "add", fresh.self());
            return ExitCode.OK;
        });
    }

    @Command(name = "promote", description = "Give a member that only receives a vote.")
    int promote(
            @Parameters(paramLabel = "BROKER", description = BROKER) String broker,
            @Parameters(paramLabel = "MEMBER", description = "Such as n3.") String member,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            admin.brokers().raftPromote(newest(admin, broker).address(), member);
            begun(display, "promote", member);
            return ExitCode.OK;
        });
    }

    @Command(name = "remove", description = "Have a member leave, also the one that leads.")
    int remove(
            @Parameters(paramLabel = "BROKER", description = BROKER) String broker,
            @Parameters(paramLabel = "MEMBER", description = "Such as n1.") String member,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            admin.brokers().raftRemove(newest(admin, broker).address(), member);
            begun(display, "remove", member);
            return ExitCode.OK;
        });
    }

    /** The leader has taken the order; what comes of it is told by the status. */
    private static void begun(Display display, String order, String member) {
        Map<String, String> told = new TreeMap<>();
        told.put("order", order);
        told.put("member", member);
        display.printer().members(told);
    }

    /** A line for each that the highest term's members name, and for each that answers besides. */
    private static List<Line> lines(List<RaftStatus> statuses) {
        Map<String, RaftMember> members = new TreeMap<>();
        Map<String, RaftStatus> byId = new TreeMap<>();
        statuses.stream()
                .max((one, other) -> Integer.compare(one.term(), other.term()))
                .ifPresent(newest -> newest.members().forEach(member -> members.put(member.id(), member)));
        statuses.forEach(status -> byId.put(status.self(), status));
        List<Line> lines = new ArrayList<>();
        members.forEach((id, member) -> lines.add(new Line(id, member, byId.remove(id))));
        byId.forEach((id, status) -> lines.add(new Line(id, null, status)));
        return lines;
    }

    /** What is missing for a leader, as far as those that answer tell; empty where one leads, or nobody answers. */
    static Optional<String> whyNobodyLeads(List<RaftStatus> statuses) {
        List<Line> all = lines(statuses);
        List<Line> voters = all.stream().filter(Line::isVoter).toList();
        if (voters.isEmpty() || all.stream().anyMatch(Line::leads)) {
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

    private static List<String> addresses(AdminClient admin, String broker) throws ClientException, CommandException {
        BrokerData known = admin.brokers().cluster().brokerAddrTable().get(broker);
        if (known == null || known.brokerAddrs().isEmpty()) {
            throw ClusterCommand.notRegistered(broker);
        }
        return List.copyOf(new TreeMap<>(known.brokerAddrs()).values());
    }

    /** What a member says, and where it was asked. */
    private record Told(String address, RaftStatus status) {}

    /**
     * What came of asking the brokers of a name.
     *
     * @param inNoGroup whether one of them answered that it does not know the question
     */
    private record Asked(List<Told> told, boolean inNoGroup) {
        /** What there is to say where no member answers. */
        private String whyNone(String broker) {
            return inNoGroup
                    ? broker
                            + " is in no group of brokers that elects its master: it is alone, or a master with its slaves"
                    : "no member of " + broker + " answers";
        }
    }

    /** Those that answer; the address of one asks that one alone. */
    private static Asked ask(AdminClient admin, String broker) throws ClientException, CommandException {
        List<Told> told = new ArrayList<>();
        boolean inNoGroup = false;
        boolean isAddress = broker.indexOf(':') >= 0;
        for (String address : isAddress ? List.of(broker) : addresses(admin, broker)) {
            try {
                told.add(new Told(address, admin.brokers().raftStatus(address)));
            } catch (ClientException e) {
                boolean isUnknown =
                        e instanceof RefusedException why && why.code() == ResponseCode.REQUEST_CODE_NOT_SUPPORTED;
                if (isAddress && !isUnknown) {
                    throw e;
                }
                inNoGroup |= isUnknown;
            }
        }
        return new Asked(told, inNoGroup);
    }

    /** The one in the highest term of those that answer; it hands orders on to the leader. Who was removed stays in an earlier one. */
    private static Told newest(AdminClient admin, String broker) throws ClientException, CommandException {
        Asked asked = ask(admin, broker);
        return asked.told().stream()
                .max(Comparator.comparingInt(told -> told.status().term()))
                .orElseThrow(() -> CommandException.notFound(asked.whyNone(broker)));
    }

    /** Another group's broker would never be fed. */
    private static void requireFit(String address, RaftStatus fresh, RaftStatus member) throws CommandException {
        if (!fresh.group().equals(member.group())) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "the broker at " + address + " is " + fresh.self() + " of group " + fresh.group()
                            + ", and cannot be added to group " + member.group());
        }
        Set<String> folders = member.members().stream().map(RaftMember::nodeId).collect(Collectors.toSet());
        boolean isStranger = fresh.members().stream().noneMatch(each -> folders.contains(each.nodeId()));
        if (fresh.endOffset() > 0 && isStranger) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "the broker at " + address + " holds " + fresh.endOffset()
                            + " bytes of a log that no member of this group has written: start it with an empty folder");
        }
    }

    private static String ownAddress(String address, RaftStatus fresh) throws CommandException {
        String told = fresh.address();
        if (told == null) {
            throw CommandException.notFound("the broker at " + address + " does not say where it listens for members");
        }
        return told;
    }
}
