package dev.perigee.cli.message;

import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Incomplete;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.query.BrowseRange;
import dev.perigee.client.query.Browser;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what lies in queues. */
@Command(
        name = "browse",
        description = {
            "Show the messages of a topic, or of some of its queues, the oldest first, as they are stored now.",
            "No position is kept. With --json: one object on each line."
        })
final class MessageBrowse implements Callable<Integer> {
    @Parameters(paramLabel = "TOPIC", description = "Its name.")
    private String topic = "";

    @Option(names = "--broker", description = "Only queues of this broker, by name.")
    private @Nullable String broker;

    @Option(names = "--queue", converter = WholeNumber.QueueId.class, description = "Only queues of this number.")
    private @Nullable Integer queue;

    @Option(
            names = "--offset",
            converter = WholeNumber.Offset.class,
            defaultValue = "0",
            description = "First offset in each queue; default ${DEFAULT-VALUE}.")
    private long offset;

    @Option(
            names = "--end-offset",
            converter = WholeNumber.Offset.class,
            description = "Offset in each queue before which to end; default: where it ends now.")
    private @Nullable Long endOffset;

    @Mixin
    private TimeRange range = new TimeRange();

    @Option(
            names = {"--limit", "--max"},
            converter = WholeNumber.Limit.class,
            defaultValue = "32",
            description = "At most so many; 0 for all; default ${DEFAULT-VALUE}.")
    private long limit;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    MessageBrowse() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        range.check();
        long end = endOffset == null ? Long.MAX_VALUE : endOffset;
        if (offset > end) {
            throw new CommandException(ExitCode.USAGE, "--offset " + offset + " is above --end-offset " + end);
        }
        BrowseRange wanted = new BrowseRange(offset, end, range.beginMs(), range.endMs());
        return Admin.use(reach, admin -> {
            Browser browser = admin.messages().browse(topic, this::isWanted, wanted);
            if (browser.queues() == 0) {
                throw CommandException.notFound("topic " + topic + " has no readable queue"
                        + (queue == null ? "" : " " + queue)
                        + (broker == null ? "" : " on broker " + broker)
                        + " (see 'topic describe')");
            }
            print(browser, display.printer());
            Incomplete.check(browser.missing());
            return ExitCode.OK;
        });
    }

    private boolean isWanted(MessageQueue each) {
        return (broker == null || broker.equals(each.brokerName())) && (queue == null || queue == each.queueId());
    }

    private void print(Browser browser, Printer printer) throws ClientException {
        for (long shown = 0; limit == 0 || shown < limit; shown++) {
            Optional<MessageExt> next = browser.next();
            if (next.isEmpty()) {
                return;
            }
            if (printer.isJson()) {
                printer.json(MessageText.members(next.get()));
            } else {
                printer.line(MessageText.line(next.get()));
            }
        }
    }
}
