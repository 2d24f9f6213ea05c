package dev.perigee.cli.message;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Incomplete;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.query.MessageTrace;
import dev.perigee.protocol.topic.SystemTopic;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what clients noted about a message. */
@Command(
        name = "trace",
        description = {
            "Show what traced clients noted about a message: sent, given to listeners, finished, decided, recalled.",
            "Brokers need traceTopicEnable, and clients enableMsgTrace."
        })
final class MessageTraceShow implements Callable<Integer> {
    private static final List<Column<MessageTrace.Note>> COLUMNS = List.of(
            Column.text("Time", "time", TraceText::time),
            Column.text("What", "what", TraceText::what),
            Column.text("Outcome", "outcome", TraceText::outcome),
            Column.text("Group", "group", note -> note.record().group()),
            Column.text("Client", "client", MessageTrace.Note::clientHost),
            Column.text("Broker", "storeHost", TraceText::storeHost),
            Column.number("Cost in ms", "costMs", TraceText::costMs),
            Column.number("Retries", "retries", TraceText::retries),
            Column.json("topic", TraceText::topic),
            Column.json("tag", TraceText::tag),
            Column.json("keys", note -> note.record().keys()),
            Column.json("requestId", TraceText::requestId),
            Column.json("offsetMessageId", TraceText::offsetMessageId),
            Column.json("bodyBytes", TraceText::bodyBytes),
            Column.json("kind", TraceText::kind),
            Column.json("transactionId", TraceText::transactionId),
            Column.json("fromCheck", TraceText::fromCheck));

    @Parameters(paramLabel = "MESSAGE_ID", description = "The id that the producer made, as 'send --json' prints it.")
    private String messageId = "";

    @Option(
            names = "--trace-topic",
            defaultValue = SystemTopic.TRACE,
            description = "Where clients note it; default ${DEFAULT-VALUE}.")
    private String traceTopic = SystemTopic.TRACE;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
    MessageTraceShow() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        if (messageId.isBlank()) {
            throw new CommandException(ExitCode.USAGE, "the message id is empty");
        }
        return Admin.use(reach, admin -> {
            if (!admin.topics().exists(traceTopic)) {
                throw CommandException.noTraces(traceTopic);
            }
            MessageTrace trace = admin.messages().trace(messageId, traceTopic);
            print(trace, display.printer());
            Incomplete.check(trace.missing());
            if (trace.notes().isEmpty()) {
                throw CommandException.notFound("nothing is noted about " + messageId + " in " + traceTopic
                        + "; clients note it that were told to ('send --trace', enableMsgTrace)");
            }
            return ExitCode.OK;
        });
    }

    /** Notes that could not be read are told of beside the others; in JSON as the last element of the array. */
    private void print(MessageTrace trace, Printer printer) {
        if (printer.isJson()) {
            List<Map<String, Object>> notes = new ArrayList<>(Printer.objects(trace.notes(), COLUMNS));
            if (trace.unreadable() > 0) {
                notes.add(Map.of("what", "unreadable", "count", trace.unreadable()));
            }
            printer.json(notes);
        } else {
            printer.rows(trace.notes(), COLUMNS, "no notes");
        }
        if (trace.unreadable() > 0) {
            spec.commandLine().getErr().println(TraceText.unreadable(trace.unreadable()));
            spec.commandLine().getErr().flush();
        }
    }
}
