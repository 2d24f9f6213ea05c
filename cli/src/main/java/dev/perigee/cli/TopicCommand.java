package dev.perigee.cli;

import dev.perigee.cli.output.Column;
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
import dev.perigee.protocol.route.QueueData;
import dev.perigee.protocol.route.TopicRouteData;
import dev.perigee.protocol.topic.Permission;
import dev.perigee.protocol.topic.SystemTopic;
import dev.perigee.protocol.topic.TopicName;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Topics. */
@Command(
        name = "topic",
        description = "Create, list, describe and delete topics.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = TopicCreate.class)
final class TopicCommand {
    TopicCommand() {}

    @Command(name = "list", description = "List topics.")
    int list(
            @Option(names = "--all", description = "System topics too.") boolean all,
            @Option(names = "--cluster", defaultValue = "", description = "Only of this cluster.") String cluster,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            Set<String> topics = new TreeSet<>(
                    cluster.isEmpty() ? admin.topics().list() : admin.topics().listOfCluster(cluster));
            if (!all) {
                topics.removeAll(admin.topics().listSystem());
                topics.removeIf(name -> SystemTopic.isSystem(name) || TopicName.isRetry(name) || TopicName.isDlq(name));
            }
            List<String> names = List.copyOf(topics);
            display.printer().rows(names, List.of(Column.text("Topic", "topic", name -> name)), "no topics yet");
            return ExitCode.OK;
        });
    }

    @Command(name = "describe", description = "Show a topic's configuration and the ends of its queues.")
    int describe(
            @Parameters(paramLabel = "TOPIC", description = "Its name.") String topic,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            TopicDescription.of(admin, topic, existing(admin, topic)).print(display.printer());
            return ExitCode.OK;
        });
    }

    /** A topic on one broker. */
    private record RouteLine(QueueData queues, @Nullable BrokerData broker) {
        private @Nullable Object cluster() {
            return broker == null ? null : broker.cluster();
        }

        private @Nullable Object zone() {
            return broker == null ? null : broker.zoneName();
        }

        private @Nullable Object actingMaster() {
            return broker == null ? null : broker.enableActingMaster();
        }

        /** By broker id, as text: JSON has no other keys. */
        private @Nullable Object addresses() {
            if (broker == null) {
                return null;
            }
            Map<String, String> byId = new LinkedHashMap<>();
            new TreeMap<>(broker.brokerAddrs()).forEach((id, address) -> byId.put(Long.toString(id), address));
            return byId;
        }
    }

    @Command(name = "route", description = "Show which brokers have a topic.")
    int route(
            @Parameters(paramLabel = "TOPIC", description = "Its name.") String topic,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            TopicRouteData route = existing(admin, topic);
            List<RouteLine> lines = new ArrayList<>();
            for (QueueData queues : route.queueDatas()) {
                BrokerData broker = route.brokerDatas().stream()
                        .filter(data -> data.brokerName().equals(queues.brokerName()))
                        .findFirst()
                        .orElse(null);
                lines.add(new RouteLine(queues, broker));
            }
            List<Column<RouteLine>> columns = List.of(
                    Column.text("Cluster", "cluster", RouteLine::cluster),
                    Column.text("Broker", "broker", line -> line.queues().brokerName()),
                    Column.text("Addresses", "addresses", RouteLine::addresses),
                    Column.number("Read", "readQueues", line -> line.queues().readQueueNums()),
                    Column.number("Write", "writeQueues", line -> line.queues().writeQueueNums()),
                    Column.text(
                            "Perm",
                            "perm",
                            line -> Permission.text(line.queues().perm())),
                    Column.json("sysFlag", line -> line.queues().topicSysFlag()),
                    Column.json("actingMaster", RouteLine::actingMaster),
                    Column.json("zone", RouteLine::zone));
            Printer printer = display.printer();
            if (printer.isJson()) {
                Map<String, Object> whole = new LinkedHashMap<>();
                whole.put("topic", topic);
                if (route.orderTopicConf() != null) {
                    whole.put("orderConf", route.orderTopicConf());
                }
                whole.put("filterServers", route.filterServerTable());
                whole.put("brokers", Printer.objects(lines, columns));
                printer.json(whole);
            } else {
                printer.rows(lines, columns, "nobody has it");
            }
            return ExitCode.OK;
        });
    }

    @Command(name = "delete", description = "Delete a topic with all its messages, everywhere.")
    int delete(
            @Parameters(paramLabel = "TOPIC", description = "Its name.") String topic,
            @Mixin Confirmation confirmation,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        Printer printer = display.printer();
        return Admin.use(reach, admin -> {
            existing(admin, topic);
            confirmation.require("this deletes topic " + topic + " with all its messages, on every broker");
            admin.topics().delete(topic);
            if (printer.isJson()) {
                printer.json(Map.of("topic", topic, "deleted", true));
            } else {
                printer.line("topic " + topic + " deleted");
            }
            return ExitCode.OK;
        });
    }

    private static TopicRouteData existing(AdminClient admin, String topic) throws ClientException, CommandException {
        Admin.requireTopic(admin, topic);
        return admin.topics().route(topic);
    }
}
