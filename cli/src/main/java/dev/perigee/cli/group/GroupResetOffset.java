package dev.perigee.cli.group;

import dev.perigee.cli.option.Moment;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.admin.OffsetAdmin;
import dev.perigee.client.admin.OffsetMove;
import dev.perigee.client.admin.ResetTarget;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.group.MessageModel;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets where a group goes on. Says from where to where for every queue, and skips messages only when told so. */
@Command(
        name = "reset-offset",
        description = "Set where a group goes on in a topic, whether or not it has members now.")
final class GroupResetOffset implements Callable<Integer> {
    private static final List<Column<OffsetMove>> COLUMNS = List.of(
            Column.text("Broker", "broker", move -> move.queue().brokerName()),
            Column.number("Queue", "queue", move -> move.queue().queueId()),
            Column.number(
                    "From",
                    "from",
                    move -> move.from().isPresent() ? Long.valueOf(move.from().getAsLong()) : null),
            Column.number("To", "to", OffsetMove::to),
            Column.number("Skips", "skips", OffsetMove::skips),
            Column.number("Repeats", "repeats", OffsetMove::repeats),
            Column.json("minOffset", OffsetMove::minOffset),
            Column.json("maxOffset", OffsetMove::endOffset));

    @Parameters(paramLabel = "GROUP", description = "Its name.")
    private String group = "";

    @Option(names = "--topic", required = true, description = "The topic.")
    private String topic = "";

    @ArgGroup(exclusive = true, multiplicity = "1")
    private Where where = new Where();

    @Option(names = "--broker", description = "Only on this broker, by name; default: on all.")
    private String broker = OffsetAdmin.ALL_BROKERS;

    @Option(names = "--dry-run", description = "Only print what would be set.")
    private boolean dryRun;

    @Option(names = "--yes", description = "Set it even where messages are skipped.")
    private boolean yes;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    /** One of these is given. */
    static final class Where {
        @Option(
                names = "--to-time",
                required = true,
                paramLabel = "TIME",
                converter = Moment.class,
                description = "To the first message stored then or later: milliseconds since 1970 or ISO 8601.")
        private @Nullable Long timeMs;

        @Option(names = "--to-begin", required = true, description = "To the first message there is.")
        private boolean begin;

        /** Read by nobody: it is the one that is left. */
        @Option(names = "--to-end", required = true, description = "Behind the last message there is.")
        @SuppressWarnings("UnusedVariable")
        private boolean end;

        @ArgGroup(exclusive = false, multiplicity = "1")
        private @Nullable Place place;

        ResetTarget target() {
            Place one = place;
            if (one != null) {
                return ResetTarget.offset(one.queue, one.offset);
            }
            Long ms = timeMs;
            if (ms != null) {
                return ResetTarget.time(ms);
            }
            return begin ? ResetTarget.begin() : ResetTarget.end();
        }
    }

    /** One place of one queue. */
    static final class Place {
        @Option(
                names = "--queue",
                required = true,
                converter = WholeNumber.QueueId.class,
                description = "One queue, with --offset.")
        private int queue;

        @Option(
                names = "--offset",
                required = true,
                converter = WholeNumber.Offset.class,
                description = "The offset of the next message to consume, with --queue.")
        private long offset;
    }

    GroupResetOffset() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            Admin.requireGroup(admin, group);
            Admin.requireTopic(admin, topic);
            ResetTarget target = where.target();
            List<OffsetMove> plan = admin.offsets().plan(group, topic, broker, target);
            check(plan, target);
            Keeper keeper = keeper(admin);
            if (dryRun) {
                print(plan, keeper, "nothing was changed");
                return ExitCode.OK;
            }
            long skipped = plan.stream().mapToLong(OffsetMove::skips).sum();
            if (skipped > 0 && !yes) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "group " + group + " would never consume " + skipped + " messages of topic " + topic
                                + "; --yes does it, --dry-run shows where");
            }
            print(set(admin, plan, target), keeper, keeper.done(group));
            return ExitCode.OK;
        });
    }

    /** Who keeps the offsets of a group, as far as its connected members tell. */
    private enum Keeper {
        BROKERS,
        MEMBERS,
        /** No member is connected. */
        UNKNOWN;

        private String done(String group) {
            return switch (this) {
                case BROKERS -> "group " + group + " goes on from there";
                case MEMBERS ->
                    "group " + group + " consumes by broadcasting and has no offsets at the brokers: its connected"
                            + " members go on from there, others from where they are";
                case UNKNOWN ->
                    "group " + group + " goes on from there; members that consume by broadcasting would not, for they"
                            + " keep their offsets themselves: reset them while they are connected";
            };
        }
    }

    private Keeper keeper(AdminClient admin) throws ClientException {
        return admin.clients().connections(group).values().stream()
                .findFirst()
                .map(seen -> seen.messageModel() == MessageModel.BROADCASTING ? Keeper.MEMBERS : Keeper.BROKERS)
                .orElse(Keeper.UNKNOWN);
    }

    private void check(List<OffsetMove> plan, ResetTarget target) throws CommandException {
        if (plan.isEmpty()) {
            throw CommandException.notFound("queue " + target.queueId() + " of topic " + topic
                    + " does not exist (see 'topic describe " + topic + "')");
        }
        for (OffsetMove move : plan) {
            if (!move.isWithinQueue()) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "offset " + move.to() + " is not between " + move.minOffset() + " and " + move.endOffset()
                                + ", the ends of queue " + move.queue().queueId() + " of topic " + topic + " on "
                                + move.queue().brokerName());
            }
        }
    }

    /** The moves as they were made: messages may have come since they were planned. */
    private List<OffsetMove> set(AdminClient admin, List<OffsetMove> plan, ResetTarget target) throws ClientException {
        var set = admin.offsets().reset(group, topic, broker, target);
        return plan.stream()
                .map(move -> new OffsetMove(
                        move.queue(),
                        move.from(),
                        set.getOrDefault(move.queue(), move.to()),
                        move.minOffset(),
                        move.endOffset()))
                .toList();
    }

    private void print(List<OffsetMove> moves, Keeper keeper, String sentence) {
        Printer printer = display.printer();
        if (printer.isJson()) {
            Map<String, Object> whole = new LinkedHashMap<>();
            whole.put("group", group);
            whole.put("topic", topic);
            whole.put("changed", !dryRun);
            whole.put("offsetsAt", keeper.name().toLowerCase(Locale.ROOT));
            whole.put("queues", Printer.objects(moves, COLUMNS));
            printer.json(whole);
            return;
        }
        printer.rows(moves, COLUMNS, "no queues");
        printer.line(sentence);
    }
}
