package dev.perigee.cli.group;

import dev.perigee.cli.message.MessageText;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.admin.DeadLetterQueue;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.property.PropertyKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Dead letters. */
@Command(
        name = "dlq",
        description = "Look at the messages a group failed to consume too often, and send them again.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = DlqReplay.class)
public final class DlqCommand {
    private static final List<Column<DeadLetterQueue>> COLUMNS = List.of(
            Column.text("Group", "group", DeadLetterQueue::group),
            Column.text("Broker", "broker", letters -> letters.queue().brokerName()),
            Column.number("Entries", "entries", DeadLetterQueue::count),
            Column.text("Oldest", "oldest", letters -> time(letters.oldestMs())),
            Column.text("Newest", "newest", letters -> time(letters.newestMs())),
            Column.number("First offset", "minOffset", DeadLetterQueue::minOffset),
            Column.number("End offset", "maxOffset", DeadLetterQueue::endOffset),
            Column.json("topic", letters -> letters.queue().topic()),
            Column.json("queue", letters -> letters.queue().queueId()));

    /** Called by picocli. */
    public DlqCommand() {}

    @Command(name = "list", description = "List the groups that have dead letters.")
    int list(@Mixin Reach reach, @Mixin Display display) throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            List<DeadLetterQueue> some = admin.deadLetters().list().stream()
                    .filter(letters -> letters.count() > 0)
                    .toList();
            display.printer().rows(some, COLUMNS, "no dead letters");
            return ExitCode.OK;
        });
    }

    @Command(name = "peek", description = "Show the dead letters of a group, oldest first; they stay where they are.")
    int peek(
            @Parameters(paramLabel = "GROUP", description = "Its name.") String group,
            @Option(
                            names = "--from",
                            converter = WholeNumber.Offset.class,
                            defaultValue = "0",
                            description = "First offset shown; default: the oldest there is.")
                    long from,
            @Option(
                            names = "--max",
                            converter = WholeNumber.Hits.class,
                            defaultValue = "10",
                            description = "At most so many of each broker; default ${DEFAULT-VALUE}.")
                    int max,
            @Option(names = "--broker", description = "Only those on this broker, by name.") @Nullable String broker,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            List<MessageExt> found = new ArrayList<>();
            for (DeadLetterQueue letters : of(admin, group, broker)) {
                long start = Math.max(from, letters.minOffset());
                long end = Math.min(letters.endOffset(), start + max);
                while (start < end) {
                    List<MessageExt> some = admin.deadLetters().read(letters.queue(), start, (int) (end - start));
                    if (some.isEmpty()) {
                        break;
                    }
                    found.addAll(some);
                    start = some.get(some.size() - 1).queueOffset() + 1;
                }
            }
            print(display.printer(), found);
            return ExitCode.OK;
        });
    }

    /** The dead letters of a group that is there, at one broker or all. */
    static List<DeadLetterQueue> of(AdminClient admin, String group, @Nullable String broker)
            throws ClientException, CommandException {
        Admin.requireGroup(admin, group);
        List<DeadLetterQueue> all = admin.deadLetters().of(group);
        List<DeadLetterQueue> wanted = all.stream()
                .filter(letters ->
                        broker == null || broker.equals(letters.queue().brokerName()))
                .toList();
        if (wanted.isEmpty() && !all.isEmpty()) {
            throw CommandException.notFound(
                    "broker " + broker + " has no dead letters of group " + group + " (see 'dlq list')");
        }
        return wanted;
    }

    private static void print(Printer printer, List<MessageExt> found) {
        if (printer.isJson()) {
            printer.json(found.stream().map(DlqCommand::members).toList());
            return;
        }
        for (MessageExt entry : found) {
            String reason = entry.property(PropertyKey.DLQ_REASON);
            printer.line(MessageText.line(entry) + "  from " + origin(entry) + failures(entry.reconsumeTimes())
                    + (reason == null ? "" : ": " + reason));
        }
        if (found.isEmpty()) {
            printer.line("no dead letters there");
        }
    }

    /** A dead letter counts how often it was consumed in vain, the first time included. */
    private static String failures(int times) {
        return times == 0 ? "" : ", failed " + times + (times == 1 ? " time" : " times");
    }

    private static Map<String, @Nullable Object> members(MessageExt entry) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>(MessageText.members(entry));
        members.put("originTopic", origin(entry));
        members.put("reason", entry.property(PropertyKey.DLQ_REASON));
        return members;
    }

    private static String origin(MessageExt entry) {
        String retried = entry.property(PropertyKey.RETRY_TOPIC);
        String first = retried == null ? entry.property(PropertyKey.DLQ_ORIGIN_TOPIC) : retried;
        return first == null ? "an unknown topic" : first;
    }

    private static @Nullable String time(long ms) {
        return ms < 0 ? null : Instant.ofEpochMilli(ms).toString();
    }
}
