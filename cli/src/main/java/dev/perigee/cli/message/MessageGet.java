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
import picocli.CommandLine.Parameters;

/** Shows one message. */
@Command(
        name = "get",
        description = {
            "Show one message by its id, or by its place in a queue.",
            "There are two kinds of ids. 'send' prints the one that the producer made, the unique key; it needs --topic.",
            "The offset message id says by itself where the message is; 'send --json' prints it too."
        })
final class MessageGet implements Callable<Integer> {
    @Parameters(arity = "0..1", paramLabel = "ID", description = "Either kind of id; a unique key with --topic.")
    private @Nullable String either;

    @Option(
            names = "--id",
            paramLabel = "OFFSET_MESSAGE_ID",
            converter = OffsetMessageId.class,
            description = "As 'send --json' prints it.")
    private @Nullable String id;

    @Option(names = "--topic", description = "With a unique key, or with --broker, --queue and --offset.")
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
                    "give the message's ID, with --topic where 'send' printed it; or --id; or --topic and --unique-key;"
                            + " or --topic, --broker, --queue and --offset");
        }
        if (either != null && topic == null && OffsetMessageId.read(either).isEmpty()) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "'" + either + "' is no offset message id; a message is found by the id that its producer made"
                            + " only with its topic: give --topic too");
        }
        return Admin.use(reach, admin -> {
            Optional<MessageExt> found = find(admin.messages());
            MessageText.print(display.printer(), found.map(List::of).orElse(List.of()));
            if (found.isEmpty()) {
                throw CommandException.notFound(notFound());
            }
            return ExitCode.OK;
        });
    }

    /** Whether what is given names a message in one way, and nothing is given that would not be heeded. */
    private boolean isOneWay() {
        boolean namesPlace = broker != null || queue != null || offset != null;
        if (either != null) {
            return id == null && uniqueKey == null && !namesPlace;
        }
        if (id != null) {
            return topic == null && uniqueKey == null && !namesPlace;
        }
        return topic != null && (uniqueKey != null ? !namesPlace : broker != null);
    }

    private Optional<MessageExt> find(MessageAdmin messages) throws ClientException {
        if (id != null) {
            return messages.byOffsetId(id);
        }
        if (either != null) {
            return findEither(messages, either);
        }
        String ofTopic = String.valueOf(topic);
        return uniqueKey != null
                ? messages.byUniqueKey(ofTopic, uniqueKey)
                : messages.byQueueOffset(place(ofTopic), offset == null ? 0 : offset);
    }

    /** A unique key may look like an offset message id, so where there is a topic it is looked for there first. */
    private Optional<MessageExt> findEither(MessageAdmin messages, String given) throws ClientException {
        if (topic != null) {
            Optional<MessageExt> found = messages.byUniqueKey(topic, given);
            if (found.isPresent()) {
                return found;
            }
        }
        Optional<String> offsetId = OffsetMessageId.read(given);
        Optional<MessageExt> found = offsetId.isPresent() ? messages.byOffsetId(offsetId.get()) : Optional.empty();
        return found.filter(message -> topic == null || topic.equals(message.topic()));
    }

    private String notFound() {
        String key = uniqueKey != null ? uniqueKey : topic != null ? either : null;
        return key == null
                ? "no such message"
                : "topic " + topic + " has no message with the id " + key + ", or its log keeps it no longer";
    }

    private MessageQueue place(String ofTopic) {
        return new MessageQueue(ofTopic, String.valueOf(broker), queue == null ? 0 : queue);
    }
}
