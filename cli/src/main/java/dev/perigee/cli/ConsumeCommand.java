package dev.perigee.cli;

import dev.perigee.cli.message.MessageText;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Absences;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.queue.ConsumeFrom;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Reads messages. */
@Command(
        name = "consume",
        description = {
            "Print the messages of a topic and follow it until Ctrl-C or --max, over restarts of brokers too.",
            "Without --group: from the earliest message, and no position is kept.",
            "With --group: from the group's position, which moves on as messages are printed."
        })
final class ConsumeCommand implements Callable<Integer> {
    /** The group of reads that belong to none; brokers keep it for tools. */
    private static final String NO_GROUP = "TOOLS_CONSUMER";

    private static final int BATCH = 32;
    private static final long POLL_MS = 500;
    private static final long SHORTEST_IDLE_MS = 20;
    private static final long LONGEST_IDLE_MS = 250;
    private static final long QUEUES_REFRESH_MS = 5_000;

    /** Where a group without a position begins. */
    enum Start {
        EARLIEST,
        LATEST
    }

    @Parameters(index = "0", paramLabel = "TOPIC", description = "What to read.")
    private String topic = "";

    @Option(
            names = {"-g", "--group"},
            description = "Consume as this group.")
    private @Nullable String group;

    @Option(
            names = "--max",
            converter = WholeNumber.Limit.class,
            paramLabel = "N",
            defaultValue = "0",
            description = "Stop after N messages.")
    private long max;

    @Option(
            names = "--from",
            defaultValue = "EARLIEST",
            description = "Where to begin without a position: ${COMPLETION-CANDIDATES}; default earliest.")
    private Start from = Start.EARLIEST;

    @Option(
            names = "--tag",
            paramLabel = "EXPR",
            defaultValue = "*",
            description = "Only these tags: 'a || b'; default all.")
    private String tags = "*";

    @Option(
            names = "--follow",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "With --no-follow: stop at the end of the queues.")
    private boolean follow = true;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    @Spec
    private CommandSpec spec;

    private long printed;

    @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
    ConsumeCommand() {}

    @Override
    public Integer call() throws ClientException, CommandException, InterruptedException {
        try (CtrlC ctrlC = CtrlC.watch()) {
            Admin.use(reach, admin -> {
                Admin.requireTopic(admin, topic);
                requireConsuming(admin);
                return topic;
            });
            if (group == null) {
                readWithoutGroup(ctrlC);
            } else {
                consumeAs(group, ctrlC);
            }
            return ExitCode.OK;
        } catch (IllegalArgumentException e) { // names and expressions, as the client checks them
            throw new CommandException(ExitCode.USAGE, String.valueOf(e.getMessage()), e);
        }
    }

    /** A consumer of a group that may not consume would wait for good. */
    private void requireConsuming(AdminClient admin) throws ClientException, CommandException {
        SubscriptionGroupConfig known =
                group == null ? null : admin.groups().list().get(group);
        if (known != null && !known.consumeEnable()) {
            throw new CommandException(
                    ExitCode.FAILED,
                    "group " + group + " may not consume: consumeEnable is false (see 'group create --consume')");
        }
    }

    private void readWithoutGroup(CtrlC ctrlC) throws ClientException, CommandException, InterruptedException {
        try (PullConsumer reader = reach.on(PullConsumer.builder())
                .callTimeoutMs(reach.timeoutMs())
                .group(NO_GROUP)
                .autoCommitMs(0)
                .build()) {
            reader.start();
            Reading reading = new Reading(reader, topic, tags, from, follow ? new Absences(err()) : null);
            reading.begin();
            long idleMs = SHORTEST_IDLE_MS;
            long refreshedMs = now();
            while (goesOn(ctrlC)) {
                if (reading.readOnce(message -> printIfWanted(message, ctrlC))) {
                    idleMs = SHORTEST_IDLE_MS;
                    continue;
                }
                if (!follow || ctrlC.await(idleMs)) {
                    return;
                }
                idleMs = Math.min(LONGEST_IDLE_MS, idleMs * 2);
                if (now() - refreshedMs > QUEUES_REFRESH_MS) {
                    reading.addNewQueues();
                    refreshedMs = now();
                }
            }
        }
    }

    /** The queues of a topic that can be read; there are some. Blocks. */
    static List<MessageQueue> queues(PullConsumer consumer, String topic) throws ClientException, CommandException {
        List<MessageQueue> queues = consumer.queues(topic);
        if (queues.isEmpty()) {
            throw CommandException.notFound("topic " + topic + " has no queue that can be read");
        }
        return queues;
    }

    private void consumeAs(String name, CtrlC ctrlC) throws ClientException, CommandException {
        try (PullConsumer consumer = reach.on(PullConsumer.builder())
                .callTimeoutMs(reach.timeoutMs())
                .group(name)
                .consumeFrom(from == Start.LATEST ? ConsumeFrom.lastOffset() : ConsumeFrom.firstOffset())
                // With a limit, one message a poll: only what was printed counts as consumed.
                .pullBatchSize(max > 0 ? 1 : BATCH)
                .build()) {
            consumer.subscribe(topic, tags);
            consumer.start();
            List<MessageQueue> unused = queues(consumer, topic); // there are some
            while (goesOn(ctrlC)) {
                List<MessageExt> messages = consumer.poll(POLL_MS);
                if (messages.isEmpty() && !follow) {
                    break;
                }
                messages.forEach(this::print);
            }
            consumer.commit();
        }
    }

    private boolean goesOn(CtrlC ctrlC) {
        return !ctrlC.isWanted() && (max <= 0 || printed < max);
    }

    private boolean printIfWanted(MessageExt message, CtrlC ctrlC) {
        boolean isWanted = goesOn(ctrlC);
        if (isWanted) {
            print(message);
        }
        return isWanted;
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }

    private void print(MessageExt message) {
        Printer printer = display.printer();
        if (printer.isJson()) {
            printer.json(MessageText.members(message));
        } else {
            printer.line(MessageText.line(message));
        }
        printed++;
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
