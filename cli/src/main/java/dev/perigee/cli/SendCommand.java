package dev.perigee.cli;

import dev.perigee.cli.load.Filler;
import dev.perigee.cli.load.SendRun;
import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.output.Progress;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.producer.Producer;
import dev.perigee.client.producer.ProducerBuilder;
import dev.perigee.client.send.SendResult;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.topic.SystemTopic;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sends messages. */
@Command(
        name = "send",
        description = "Send messages: each TEXT is the body of one.",
        footer = {
            "",
            "  perigee send demo \"hello\"",
            "  perigee send demo --tag blue --key order-7 --property colour=blue \"hello\"",
            "  perigee send demo --count 100000 --size 1024",
            "  perigee send demo --file picture.png"
        })
final class SendCommand implements Callable<Integer> {
    private static final String GROUP = "PERIGEE_SEND";
    private static final int DEFAULT_SIZE_BYTES = 128;

    @Parameters(index = "0", paramLabel = "TOPIC", description = "Where to.")
    private String topic = "";

    @Parameters(index = "1..*", paramLabel = "TEXT", arity = "0..*", description = "Bodies.")
    private List<String> texts = new ArrayList<>();

    @Option(names = "--tag", description = "Tag of every message.")
    private @Nullable String tag;

    @Option(names = "--key", description = "Key of every message; may be repeated.")
    private List<String> keys = new ArrayList<>();

    @Option(
            names = {"-p", "--property"},
            paramLabel = "NAME=VALUE",
            description = "Property of every message; may be repeated.")
    private Map<String, String> properties = new LinkedHashMap<>();

    @Option(names = "--file", description = "The content of this file is a body.")
    private @Nullable Path file;

    @Option(
            names = "--count",
            converter = WholeNumber.Count.class,
            defaultValue = "1",
            description = "Send everything so many times; default 1.")
    private int count;

    @Option(
            names = "--size",
            converter = WholeNumber.BodySize.class,
            paramLabel = "BYTES",
            defaultValue = "0",
            description = "Send made-up bodies of this size.")
    private int sizeBytes;

    @Option(
            names = "--trace",
            description =
                    "Note in the trace topic that they were sent: 'message trace ID' shows it. Needs a broker with"
                            + " traceTopicEnable=true.")
    private boolean trace;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    SendCommand() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        List<Message> messages = messages();
        ProducerBuilder builder = reach.on(Producer.builder()).group(GROUP).sendTimeoutMs(reach.timeoutMs());
        if (trace) {
            requireTraceTopic();
            builder.enableMsgTrace();
        }
        try (Producer producer = builder.build()) {
            producer.start();
            if (count == 1) {
                sendEach(producer, messages);
            } else {
                sendMany(producer, messages);
            }
        } catch (NoRouteException e) {
            throw new CommandException(ExitCode.NOT_FOUND, e.sentence() + whoLacksAMaster(), e);
        }
        return ExitCode.OK;
    }

    /** A topic that is not routed may be that of a broker that has no master now. */
    private String whoLacksAMaster() throws ClientException, CommandException {
        List<String> names = Admin.use(reach, Admin::withoutMaster);
        return names.isEmpty()
                ? ""
                : "; " + String.join(", ", names) + (names.size() == 1 ? " has" : " have")
                        + " no master just now ('raft status " + names.get(0) + "' says who is missing of a group)";
    }

    /** Without it the notes would be lost in silence. */
    private void requireTraceTopic() throws ClientException, CommandException {
        boolean isThere = Admin.use(reach, admin -> admin.topics().exists(SystemTopic.TRACE));
        if (!isThere) {
            throw CommandException.notFound("topic " + SystemTopic.TRACE + " does not exist, so nothing was sent: "
                    + CommandException.TRACES_ON + "; without --trace the send needs none");
        }
    }

    private List<Message> messages() throws CommandException {
        List<byte[]> bodies = new ArrayList<>();
        texts.forEach(text -> bodies.add(text.getBytes(StandardCharsets.UTF_8)));
        if (file != null) {
            try {
                bodies.add(Files.readAllBytes(file));
            } catch (IOException e) {
                throw new CommandException(ExitCode.USAGE, "cannot read " + file + ": " + e, e);
            }
        }
        if (bodies.isEmpty()) {
            if (sizeBytes == 0 && count == 1) {
                throw new CommandException(ExitCode.USAGE, "nothing to send: give TEXT, --file, --size or --count");
            }
            bodies.add(Filler.body(sizeBytes == 0 ? DEFAULT_SIZE_BYTES : sizeBytes));
        }
        return bodies.stream().map(this::message).toList();
    }

    private Message message(byte[] body) {
        Message.Builder builder = Message.builder(topic).body(body);
        if (tag != null) {
            builder.tag(tag);
        }
        if (!keys.isEmpty()) {
            builder.keys(keys.toArray(String[]::new));
        }
        properties.forEach(builder::property);
        return builder.build();
    }

    private void sendEach(Producer producer, List<Message> messages) throws ClientException {
        Printer printer = display.printer();
        for (Message message : messages) {
            SendResult result = producer.send(message);
            if (printer.isJson()) {
                printer.json(members(result));
            } else {
                printer.line("sent " + result.messageId() + " to "
                        + result.queue().brokerName() + ":" + result.queue().queueId() + "@"
                        + result.queueOffset() + " " + result.status());
            }
        }
    }

    private static Map<String, Object> members(SendResult result) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("messageId", result.messageId());
        members.put("offsetMessageId", result.offsetMessageId());
        members.put("topic", result.queue().topic());
        members.put("broker", result.queue().brokerName());
        members.put("queue", result.queue().queueId());
        members.put("offset", result.queueOffset());
        members.put("status", result.status().name());
        return members;
    }

    private void sendMany(Producer producer, List<Message> messages) throws ClientException, CommandException {
        int most = Integer.MAX_VALUE / messages.size();
        if (count > most) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--count " + count + " of " + messages.size() + " messages is too much: wanted 1 to " + most);
        }
        int total = count * messages.size();
        SendRun.Outcome outcome;
        try (Progress progress = display.progress("send", total)) {
            outcome = new SendRun(producer, index -> messages.get(index % messages.size()), total).run(progress);
        }
        Printer printer = display.printer();
        if (printer.isJson()) {
            printer.json(outcome.members());
        } else {
            printer.line("sent " + outcome.summary());
        }
        if (outcome.failed() > 0) {
            throw new CommandException(
                    ExitCode.FAILED,
                    outcome.failed() + " of " + total + " messages failed, first: " + outcome.firstFailure());
        }
    }
}
