package dev.perigee.cli.message;

import dev.perigee.cli.option.OffsetMessageId;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.MessageAdmin;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.message.MessageExt;
import dev.perigee.protocol.message.MessageQueue;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows one message. */
@Command(
        name = "get",
        description = "Show one message by its offset message id, by its place in a queue, or by its unique key.")
final class MessageGet implements Callable<Integer> {
    @Option(
            names = "--id",
            paramLabel = "OFFSET_MESSAGE_ID",
            converter = OffsetMessageId.class,
            description = "As 'send --json' prints it.")
    private @Nullable String id;

    @Option(names = "--topic", description = "With --unique-key, or with --broker, --queue and --offset.")
    private @Nullable String topic;

    @Option(names = "--unique-key", description = "The message id that the producer made.")
    private @Nullable String uniqueKey;

    @Option(names = "--broker", description = "Name of the broker.")
    private @Nullable String broker;

    @Option(names = "--queue", converter = WholeNumber.QueueId.class, description = "Number of the queue; default 0.")
    private @Nullable Integer queue;

    @Option(names = "--offset", converter = WholeNumber.Offset.class, description = "Offset in the queue; default 0.")
    private @Nullable Long offset;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    MessageGet() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        if (!isOneWay()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "give --id, or --topic and --unique-key, or --topic, --broker, --queue and --offset");
        }
        return Admin.use(reach, admin -> {
            Optional<MessageExt> found = find(admin.messages());
            MessageText.print(display.printer(), found.map(List::of).orElse(List.of()));
            if (found.isEmpty()) {
                throw CommandException.notFound("no such message");
            }
            return ExitCode.OK;
        });
    }

    /** Whether what is given names a message in one way, and nothing is given that would not be heeded. */
    private boolean isOneWay() {
        boolean namesPlace = broker != null || queue != null || offset != null;
        if (id != null) {
            return topic == null && uniqueKey == null && !namesPlace;
        }
        return topic != null && (uniqueKey != null ? !namesPlace : broker != null);
    }

    private Optional<MessageExt> find(MessageAdmin messages) throws ClientException {
        if (id != null) {
            return messages.byOffsetId(id);
        }
        String ofTopic = String.valueOf(topic);
        return uniqueKey != null
                ? messages.byUniqueKey(ofTopic, uniqueKey)
                : messages.byQueueOffset(place(ofTopic), offset == null ? 0 : offset);
    }

    private MessageQueue place(String ofTopic) {
        return new MessageQueue(ofTopic, String.valueOf(broker), queue == null ? 0 : queue);
    }
}
