package dev.perigee.cli;

import dev.perigee.cli.load.Filler;
import dev.perigee.cli.load.ReadRun;
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
import dev.perigee.client.producer.Producer;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.protocol.message.Message;
import dev.perigee.protocol.topic.TopicConfig;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A quick load. */
@Command(
        name = "bench",
        description = {
            "Send messages as fast as they are acknowledged, read them back, and tell rates and latencies.",
            "For a first impression; measurements for comparison live in the bench folder."
        })
final class BenchCommand implements Callable<Integer> {
    private static final String GROUP = "PERIGEE_BENCH";

    @Option(
            names = "--topic",
            defaultValue = "perigee-bench",
            description = "Default ${DEFAULT-VALUE}; made when absent.")
    private String topic = "";

    @Option(
            names = "--count",
            converter = WholeNumber.Count.class,
            defaultValue = "100000",
            description = "Messages; default ${DEFAULT-VALUE}.")
    private int count;

    @Option(
            names = "--size",
            converter = WholeNumber.BodySize.class,
            paramLabel = "BYTES",
            defaultValue = "1024",
            description = "Body size; default ${DEFAULT-VALUE}.")
    private int sizeBytes;

    @Option(
            names = "--queues",
            converter = WholeNumber.Queues.class,
            defaultValue = "4",
            description = "Queues of the topic; default ${DEFAULT-VALUE}.")
    private int queues;

    @Option(names = "--no-consume", description = "Only send.")
    private boolean onlySend;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    BenchCommand() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        Map<String, Object> whole = new LinkedHashMap<>();
        Printer printer = display.printer();
        ReadRun read = Admin.use(reach, admin -> {
            if (!admin.topics().exists(topic)) {
                Admin.createTopic(admin, reach, TopicConfig.of(topic, queues), "");
            }
            return ReadRun.fromTheEnd(admin, topic);
        });
        SendRun.Outcome sent = send();
        whole.put("send", sent.members());
        printer.sentence("sent " + sent.summary());
        if (!onlySend) {
            ReadRun.Outcome consumed = consume(read, sent.sent());
            whole.put("read", consumed.members());
            printer.sentence("read " + consumed.summary());
        }
        if (printer.isJson()) {
            printer.json(whole);
        }
        if (sent.failed() > 0) {
            throw new CommandException(
                    ExitCode.FAILED, sent.failed() + " messages failed, first: " + sent.firstFailure());
        }
        return ExitCode.OK;
    }

    private SendRun.Outcome send() throws ClientException, CommandException {
        Message message = Message.builder(topic).body(Filler.body(sizeBytes)).build();
        try (Producer producer = reach.on(Producer.builder())
                        .group(GROUP)
                        .sendTimeoutMs(reach.timeoutMs())
                        .build();
                Progress progress = display.progress("send", count)) {
            producer.start();
            return new SendRun(producer, index -> message, count).run(progress);
        }
    }

    private ReadRun.Outcome consume(ReadRun read, long expected) throws ClientException, CommandException {
        try (Progress progress = display.progress("read", expected)) {
            return read.run(reach.on(PullConsumer.builder()), expected, progress);
        }
    }
}
