package dev.perigee.cli.group;

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
import dev.perigee.client.admin.DeadLetters.Target;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.RefusedException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends dead letters again. */
@Command(
        name = "replay",
        description = {
            "Send dead letters again: to their group alone, which retries them as new ones, or to their first topic.",
            "They stay in the dead-letter topic; what was sent again is printed."
        })
final class DlqReplay implements Callable<Integer> {
    private static final int MAX_ENTRIES = 1_000;

    private static final List<Column<Outcome>> COLUMNS = List.of(
            Column.text("Broker", "broker", Outcome::broker),
            Column.number("Offset", "offset", Outcome::offset),
            Column.text("Result", "result", outcome -> outcome.failure() == null ? "sent" : "failed"),
            Column.text("Message", "offsetMessageId", Outcome::sent),
            Column.text("Why", "failure", Outcome::failure));

    @Parameters(paramLabel = "GROUP", description = "Its name.")
    private String group = "";

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Which which = new Which();

    @Option(names = "--broker", description = "Those on this broker, by name; needed when several have some.")
    private @Nullable String broker;

    @Option(names = "--to-topic", description = "To the topic they were sent to first: all its groups get them.")
    private boolean toTopic;

    @Option(names = "--yes", description = "Do it, where --to-topic or --all asks for it.")
    private boolean yes;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    /** One of these is given. */
    static final class Which {
        @Option(
                names = "--offset",
                required = true,
                converter = WholeNumber.Offset.class,
                split = ",",
                paramLabel = "N",
                description = "These, by their offsets as 'dlq peek' shows them; may be repeated.")
        private List<Long> offsets = List.of();

        @ArgGroup(exclusive = false, multiplicity = "1")
        private @Nullable Range range;

        @Option(names = "--all", required = true, description = "All there are.")
        private boolean all;
    }

    /** Several in a row. */
    static final class Range {
        @Option(
                names = "--from",
                required = true,
                converter = WholeNumber.Offset.class,
                paramLabel = "N",
                description = "From this offset, with --to.")
        private long from;

        @Option(
                names = "--to",
                required = true,
                converter = WholeNumber.Offset.class,
                paramLabel = "N",
                description = "Up to this offset, itself included.")
        private long to;
    }

    /** What became of one entry; exactly one of the last two is there. */
    private record Outcome(
            String broker,
            long offset,
            @Nullable String sent,
            @Nullable String failure) {}

    DlqReplay() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            DeadLetterQueue letters = one(DlqCommand.of(admin, group, broker));
            List<Long> offsets = offsets(letters);
            if ((toTopic || which.all) && !yes) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "this sends " + offsets.size() + " messages again"
                                + (toTopic ? ", and every group of their topics gets them" : "") + "; --yes does it");
            }
            List<Outcome> outcomes = replay(admin, letters, offsets);
            print(outcomes, offsets.size());
            return outcomes.stream().allMatch(outcome -> outcome.failure() == null) ? ExitCode.OK : ExitCode.FAILED;
        });
    }

    private DeadLetterQueue one(List<DeadLetterQueue> found) throws CommandException {
        List<DeadLetterQueue> some =
                found.stream().filter(letters -> letters.count() > 0).toList();
        if (some.isEmpty()) {
            throw CommandException.notFound("group " + group + " has no dead letters (see 'dlq list')");
        }
        if (some.size() > 1) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "group " + group + " has dead letters on several brokers; give --broker, one of "
                            + some.stream()
                                    .map(letters -> letters.queue().brokerName())
                                    .collect(Collectors.joining(", ")));
        }
        return some.get(0);
    }

    private List<Long> offsets(DeadLetterQueue letters) throws CommandException {
        Range range = which.range;
        List<Long> offsets = which.offsets;
        if (range != null || which.all) {
            long first = range == null ? letters.minOffset() : range.from;
            long last = range == null ? letters.endOffset() - 1 : range.to;
            if (last < first || last - first >= MAX_ENTRIES) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "offsets " + first + " to " + last + " are not 1 to " + MAX_ENTRIES
                                + " entries; give --from and --to for a part of them");
            }
            offsets = LongStream.rangeClosed(first, last).boxed().toList();
        }
        if (offsets.size() > MAX_ENTRIES) {
            throw new CommandException(
                    ExitCode.USAGE, offsets.size() + " times --offset, at most " + MAX_ENTRIES + " at once");
        }
        for (long offset : offsets) {
            if (offset < letters.minOffset() || offset >= letters.endOffset()) {
                throw new CommandException(
                        ExitCode.NOT_FOUND,
                        "offset " + offset + " is not between " + letters.minOffset() + " and "
                                + (letters.endOffset() - 1) + ", the dead letters of group " + group + " on "
                                + letters.queue().brokerName() + "; nothing was sent");
            }
        }
        return offsets;
    }

    /** One after the other, in the order asked for; ends at the first one that nobody answers. */
    private List<Outcome> replay(AdminClient admin, DeadLetterQueue letters, List<Long> offsets) {
        List<Outcome> outcomes = new ArrayList<>();
        String at = letters.queue().brokerName();
        Target target = toTopic ? Target.TOPIC : Target.GROUP;
        for (long offset : offsets) {
            try {
                outcomes.add(admin.deadLetters()
                        .replay(letters, offset, target)
                        .map(sent -> new Outcome(at, offset, sent, null))
                        .orElseGet(() -> new Outcome(at, offset, null, "there is no entry at this offset any more")));
            } catch (RefusedException | InvalidMessageException e) {
                outcomes.add(new Outcome(at, offset, null, e.sentence()));
            } catch (ClientException e) {
                outcomes.add(new Outcome(at, offset, null, e.sentence()));
                return outcomes;
            }
        }
        return outcomes;
    }

    private void print(List<Outcome> outcomes, int wanted) {
        Printer printer = display.printer();
        long sent =
                outcomes.stream().filter(outcome -> outcome.failure() == null).count();
        if (printer.isJson()) {
            Map<String, Object> whole = new LinkedHashMap<>();
            whole.put("group", group);
            whole.put("target", toTopic ? "topic" : "group");
            whole.put("sent", sent);
            whole.put("failed", outcomes.size() - sent);
            whole.put("notTried", wanted - outcomes.size());
            whole.put("entries", Printer.objects(outcomes, COLUMNS));
            printer.json(whole);
            return;
        }
        printer.rows(outcomes, COLUMNS, "nothing to send");
        printer.line("sent " + sent + ", failed " + (outcomes.size() - sent)
                + (wanted > outcomes.size() ? ", not tried " + (wanted - outcomes.size()) : "")
                + "; the dead letters stay where they are");
    }
}
