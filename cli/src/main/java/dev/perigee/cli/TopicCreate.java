package dev.perigee.cli;

import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Confirmation;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.route.BrokerData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.TopicConfig;
import dev.perigee.protocol.topic.TopicFilterType;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a topic, or changes one; takes queues away only when told so. */
@Command(name = "create", description = "Create a topic, or change its queues and permission.")
final class TopicCreate implements Callable<Integer> {
    @Parameters(paramLabel = "TOPIC", description = "Its name.")
    private String topic = "";

    @Option(
            names = {"-q", "--queues"},
            converter = WholeNumber.Queues.class,
            defaultValue = "8",
            description = "Queues on each broker; default ${DEFAULT-VALUE}.")
    private int queues;

    @Option(
            names = "--perm",
            converter = WholeNumber.Perm.class,
            defaultValue = "6",
            description = "2 to write, 4 to read, 6 for both; default ${DEFAULT-VALUE}.")
    private int perm;

    @Option(names = "--ordered", description = "Mark it as ordered.")
    private boolean ordered;

    @Option(names = "--cluster", description = "Only in this cluster.")
    private String cluster = "";

    @Mixin
    private Confirmation confirmation = new Confirmation();

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    TopicCreate() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        TopicConfig config =
                new TopicConfig(topic, queues, queues, perm, TopicFilterType.SINGLE_TAG, 0, ordered, Map.of());
        return Admin.use(reach, admin -> {
            String more = whereItHasMore(admin);
            if (!more.isEmpty()) {
                confirmation.require("topic " + topic + " has " + more + ": with " + queues
                        + " the messages in its other queues are not consumed any more");
            }
            print(Admin.createTopic(admin, reach, config, cluster));
            return ExitCode.OK;
        });
    }

    private void print(List<String> masters) {
        Printer printer = display.printer();
        if (printer.isJson()) {
            Map<String, Object> result = new LinkedHashMap<>();
            result.put("topic", topic);
            result.put("queues", queues);
            result.put("perm", Permission.text(perm));
            result.put("brokers", masters);
            printer.json(result);
        } else {
            printer.line("topic " + topic + ": " + queues + " queues on " + String.join(", ", masters));
        }
    }

    /** Where the topic has more queues than it is to have, as {@code 8 queues on broker-a}; empty when nowhere. */
    private String whereItHasMore(AdminClient admin) throws ClientException {
        if (!admin.topics().exists(topic)) {
            return "";
        }
        TopicRouteData route = admin.topics().route(topic);
        Set<String> meant = route.brokerDatas().stream()
                .filter(broker -> cluster.isEmpty() || cluster.equals(broker.cluster()))
                .map(BrokerData::brokerName)
                .collect(Collectors.toSet());
        return route.queueDatas().stream()
                .filter(data -> meant.contains(data.brokerName()) && data.readQueueNums() > queues)
                .map(data -> data.readQueueNums() + " queues on " + data.brokerName())
                .sorted()
                .collect(Collectors.joining(", "));
    }
}
