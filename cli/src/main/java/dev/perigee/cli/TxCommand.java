package dev.perigee.cli;

import dev.perigee.cli.option.OffsetMessageId;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Rows;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Incomplete;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.TransactionAdmin.Outcome;
import dev.perigee.client.admin.TransactionAdmin.Sought;
import dev.perigee.client.admin.TransactionAdmin.Undecided;
import dev.perigee.client.admin.UndecidedHalves;
import dev.perigee.client.error.ClientException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Transactions that are not decided. */
@Command(
        name = "tx",
        description = "Look at transactions that nobody decided about, and decide.",
        synopsisSubcommandLabel = "COMMAND")
final class TxCommand {
    /** Of several that are meant by one id, so many are named at most. */
    private static final int MAX_NAMED = 10;

    private static final List<Column<Undecided>> COLUMNS = List.of(
            Column.text("Message", "messageId", undecided -> undecided.half().uniqueKey()),
            Column.text("Group", "group", undecided -> undecided.half().producerGroup()),
            Column.text("Topic", "topic", undecided -> undecided.half().topic()),
            Column.text("Broker", "broker", Undecided::brokerName),
            Column.number("Offset", "offset", undecided -> undecided.half().commitLogOffset()),
            Column.number("Checks", "checks", undecided -> undecided.half().checks()),
            Column.text(
                    "Next check",
                    "nextCheck",
                    undecided -> time(undecided.half().nextCheckMs())),
            Column.text("Born", "born", undecided -> time(undecided.half().bornTimestampMs())),
            Column.json("bornHost", undecided -> undecided.half().bornHost()),
            Column.json("keys", undecided -> undecided.half().keys()),
            Column.json("queue", undecided -> undecided.half().queueId()),
            Column.json("halfQueueOffset", undecided -> undecided.half().queueOffset()),
            Column.json("bodyBytes", undecided -> undecided.half().bodyBytes()));

    TxCommand() {}

    private static String time(long ms) {
        return Instant.ofEpochMilli(ms).toString();
    }

    @Command(
            name = "list",
            description = {
                "List the transactions that are not decided, the oldest of each broker first.",
                "Brokers that cannot be asked are named; what the others say is listed."
            })
    int list(
            @Option(names = "--group", description = "Only those of this group of producers.") @Nullable String group,
            @Option(names = "--topic", description = "Only those of messages to this topic.") @Nullable String topic,
            @Option(names = "--broker", description = "Ask only this broker, by name.") @Nullable String broker,
            @Option(
                            names = {"--limit", "--max"},
                            converter = WholeNumber.Limit.class,
                            defaultValue = "100",
                            description = "At most so many; 0 for all; default ${DEFAULT-VALUE}.")
                    long limit,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            UndecidedHalves halves = admin.transactions().undecided(new Sought(group, topic, broker, null));
            Rows<Undecided> rows = display.printer().rows(COLUMNS);
            for (long shown = 0; limit == 0 || shown < limit; shown++) {
                Optional<Undecided> next = halves.next();
                if (next.isEmpty()) {
                    break;
                }
                rows.add(next.get());
            }
            rows.end("no undecided transactions" + (halves.missing().isEmpty() ? "" : " on brokers that answered"));
            Incomplete.check(halves.missing());
            return ExitCode.OK;
        });
    }

    /** One of these is given. */
    static final class Wanted {
        @Option(names = "--commit", required = true, description = "Deliver the message.")
        private boolean commit;

        @Option(names = "--rollback", required = true, description = "Never deliver the message.")
        private boolean rollback;

        Outcome outcome() {
            return commit && !rollback ? Outcome.COMMIT : Outcome.ROLLBACK;
        }
    }

    @Command(
            name = "resolve",
            description = "Decide about a transaction in place of its producer. The first decision about it wins.")
    int resolve(
            @Parameters(paramLabel = "MESSAGE", description = "Its id, as 'tx list' shows it.") String messageId,
            @ArgGroup(exclusive = true, multiplicity = "1") Wanted wanted,
            @Option(names = "--group", description = "Only when it is of this group of producers.") @Nullable
                    String group,
            @Option(names = "--broker", description = "The one on this broker, by name.") @Nullable String broker,
            @Option(
                            names = "--offset",
                            converter = WholeNumber.Offset.class,
                            description = "The one at this offset, as 'tx list' shows it.")
                    @Nullable
                    Long offset,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            UndecidedHalves halves = admin.transactions().undecided(new Sought(group, null, broker, offset));
            Undecided one = find(halves, messageId);
            admin.transactions().resolve(one, wanted.outcome());
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("messageId", messageId);
            members.put("broker", one.brokerName());
            members.put("offset", one.half().commitLogOffset());
            members.put("topic", one.half().topic());
            members.put("outcome", wanted.outcome().name().toLowerCase(Locale.ROOT));
            display.printer().members(members);
            Incomplete.check(halves.missing());
            return ExitCode.OK;
        });
    }

    /** The only one of that message, on the brokers that can be asked. */
    private static Undecided find(UndecidedHalves halves, String messageId) throws ClientException, CommandException {
        List<Undecided> found = new ArrayList<>();
        Optional<Undecided> next = halves.next();
        while (next.isPresent() && found.size() < MAX_NAMED) {
            if (next.get().half().uniqueKey().equals(messageId)) {
                found.add(next.get());
            }
            next = halves.next();
        }
        if (found.size() == 1) {
            return found.get(0);
        }
        if (!found.isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    found.size() + " undecided transactions have the message id " + messageId
                            + ", give --broker and --offset: "
                            + found.stream()
                                    .map(each -> each.brokerName() + " "
                                            + each.half().commitLogOffset())
                                    .collect(Collectors.joining(", ")));
        }
        String nobodys = "no undecided transaction has the message id " + messageId;
        throw halves.missing().isEmpty()
                ? CommandException.notFound(nobodys + " (see 'tx list'); it may have been decided")
                : Incomplete.notFound(nobodys + " on brokers that answered", halves.missing());
    }

    @Command(
            name = "resume",
            description = "Ask the producers again about a message that was set aside in TRANS_CHECK_MAX_TIME_TOPIC."
                    + " Each resume makes one more half of it: resume it once.")
    int resume(
            @Parameters(
                            paramLabel = "OFFSET_MESSAGE_ID",
                            converter = OffsetMessageId.class,
                            description = "Of that message, as 'consume --json' or 'message get --json' prints it.")
                    String id,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            admin.transactions().resume(id);
            display.printer().members(Map.of("resumed", id));
            return ExitCode.OK;
        });
    }
}
