package dev.perigee.cli;

import dev.perigee.cli.message.MessageText;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Stored messages. */
@Command(name = "message", description = "Look up stored messages.", synopsisSubcommandLabel = "COMMAND")
final class MessageCommand {
    private static final int DEFAULT_MAX = 32;

    MessageCommand() {}

    @Command(name = "get", description = "Show one message by its offset message id, or by its place in a queue.")
    int get(
            @Option(names = "--id", paramLabel = "OFFSET_MESSAGE_ID", description = "As 'send --json' prints it.")
                    @Nullable
                    String id,
            @Option(names = "--topic", description = "With --broker, --queue and --offset.") @Nullable String topic,
            @Option(names = "--broker", description = "Name of the broker.") @Nullable String broker,
            @Option(
                            names = "--queue",
                            converter = WholeNumber.QueueId.class,
                            defaultValue = "0",
                            description = "Number of the queue.")
                    int queue,
            @Option(
                            names = "--offset",
                            converter = WholeNumber.Offset.class,
                            defaultValue = "0",
                            description = "Offset in the queue.")
                    long offset,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        if (id == null && (topic == null || broker == null)) {
            throw new CommandException(ExitCode.USAGE, "give --id, or --topic, --broker, --queue and --offset");
        }
        return Admin.use(reach, admin -> {
            Optional<MessageExt> found = id != null
                    ? admin.messages().byOffsetId(id)
                    : admin.messages()
                            .byQueueOffset(
                                    new MessageQueue(String.valueOf(topic), String.valueOf(broker), queue), offset);
            print(display.printer(), found.map(List::of).orElse(List.of()));
            return ExitCode.OK;
        });
    }

    @Command(name = "query", description = "Show the messages of a topic with a key, newest first.")
    int query(
            @Parameters(paramLabel = "TOPIC", description = "Its name.") String topic,
            @Option(names = "--key", description = "One of the message's keys.") @Nullable String key,
            @Option(names = "--unique-key", description = "The message id that the producer made.") @Nullable
                    String uniqueKey,
            @Option(
                            names = "--max",
                            converter = WholeNumber.Hits.class,
                            defaultValue = "" + DEFAULT_MAX,
                            description = "At most; default ${DEFAULT-VALUE}.")
                    int max,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        if ((key == null) == (uniqueKey == null)) {
            throw new CommandException(ExitCode.USAGE, "give either --key or --unique-key");
        }
        return Admin.use(reach, admin -> {
            List<MessageExt> found = new ArrayList<>();
            if (key != null) {
                found.addAll(admin.messages().byKey(topic, key, max, 0, Long.MAX_VALUE));
            } else {
                admin.messages().byUniqueKey(topic, String.valueOf(uniqueKey)).ifPresent(found::add);
            }
            print(display.printer(), found);
            return ExitCode.OK;
        });
    }

    private static void print(Printer printer, List<MessageExt> messages) throws CommandException {
        if (printer.isJson()) {
            printer.json(messages.stream().map(MessageText::members).toList());
        } else {
            messages.forEach(message -> printer.line(MessageText.line(message)));
        }
        if (messages.isEmpty()) {
            throw CommandException.notFound("no such message");
        }
    }
}
