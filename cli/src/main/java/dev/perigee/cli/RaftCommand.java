package dev.perigee.cli;

import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Confirmation;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.stats.RaftStatus;
import dev.perigee.protocol.stats.RaftStatus.RaftMember;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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

    /** A majority of two is both. */
    private static final int MOST_WITHOUT_REDUNDANCY = 2;

    private static final String NO_FAILURE = "the group survives no failure of a member";

    RaftCommand() {}

    @Command(name = "status", description = "Show each member: its role, its term, and how far its log is.")
    int status(
            @Parameters(paramLabel = "BROKER", description = BROKER) String broker,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            GroupPicture picture = new GroupQuestion(admin, broker).picture();
            display.printer().rows(picture.lines(), GroupPicture.columns(), picture.whyNone());
            picture.whyNobodyLeads().ifPresent(display.printer()::sentence);
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
            GroupQuestion question = new GroupQuestion(admin, broker);
            GroupQuestion.Told told = question.newest();
            String wanted = member == null ? "" : member;
            admin.brokers().raftTransfer(told.address(), wanted);
            RaftStatus leader =
                    new GroupOutcome(question).ledAfter(told.status().term(), wanted);
            if (member != null && !leader.self().equals(member)) {
                throw new CommandException(ExitCode.FAILED, leader.self() + " leads now, not " + member);
            }
            done(display, "transfer", leader.self(), leader, leader.self() + " leads now");
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
            GroupQuestion question = new GroupQuestion(admin, broker);
            GroupQuestion.Told told = question.newest();
            requireFit(address, fresh, told.status());
            admin.brokers().raftAdd(told.address(), fresh.self(), fresh.nodeId(), ownAddress(address, fresh));
            String member = fresh.self();
            RaftStatus leader = new GroupOutcome(question).confirmed(status -> GroupOutcome.has(status, member, false));
            done(
                    display,
                    "add",
                    member,
                    leader,
                    member + " is a member now: it receives the log, and does not vote before 'raft promote " + broker
                            + " " + member + "'");
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
            GroupQuestion question = new GroupQuestion(admin, broker);
            admin.brokers().raftPromote(question.newest().address(), member);
            RaftStatus leader = new GroupOutcome(question).confirmed(status -> GroupOutcome.has(status, member, true));
            done(
                    display,
                    "promote",
                    member,
                    leader,
                    member + " votes now: the voters are " + String.join(", ", GroupOutcome.voters(leader)));
            return ExitCode.OK;
        });
    }

    @Command(name = "remove", description = "Have a member leave, also the one that leads.")
    int remove(
            @Parameters(paramLabel = "BROKER", description = BROKER) String broker,
            @Parameters(paramLabel = "MEMBER", description = "Such as n1.") String member,
            @Mixin Confirmation confirmation,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            GroupQuestion question = new GroupQuestion(admin, broker);
            GroupQuestion.Told told = question.newest();
            boolean isVoter = GroupOutcome.has(told.status(), member, true);
            boolean isLast = GroupOutcome.voters(told.status()).equals(List.of(member));
            if ((isVoter && !isLast) || GroupOutcome.has(told.status(), member, false)) { // else it is refused
                confirmation.ask(removal(told.status(), member));
            }
            admin.brokers().raftRemove(told.address(), member);
            RaftStatus leader = new GroupOutcome(question)
                    .confirmed(status -> !status.self().equals(member)
                            && status.members().stream()
                                    .noneMatch(each -> each.id().equals(member)));
            done(
                    display,
                    "remove",
                    member,
                    leader,
                    member + " is no member any more: the voters are "
                            + String.join(", ", GroupOutcome.voters(leader)));
            if (isVoter && GroupOutcome.voters(leader).size() <= MOST_WITHOUT_REDUNDANCY) {
                display.warn(NO_FAILURE + ": 'raft add' and 'raft promote' give it another voter");
            }
            return ExitCode.OK;
        });
    }

    private static String removal(RaftStatus status, String member) {
        List<String> left = new ArrayList<>(GroupOutcome.voters(status));
        boolean isVoter = left.remove(member);
        return "this removes " + member + " from group " + status.group() + ": voters are then "
                + String.join(", ", left)
                + (isVoter && left.size() <= MOST_WITHOUT_REDUNDANCY ? ", and " + NO_FAILURE : "");
    }

    /** @param leader as it said itself after that */
    private static void done(Display display, String order, String member, RaftStatus leader, String sentence) {
        if (display.printer().isJson()) {
            display.printer()
                    .json(new TreeMap<>(
                            Map.of("order", order, "member", member, "leader", leader.self(), "term", leader.term())));
        }
        String who = leader.self().equals(member) ? "" : "; " + leader.self() + " leads";
        display.printer().sentence(sentence + who + " in term " + leader.term());
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
