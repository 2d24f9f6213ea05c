package dev.perigee.cli;

import dev.perigee.cli.output.Column;
import dev.perigee.cli.output.Printer;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.RefusedException;
import dev.perigee.protocol.client.ClientConnection;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import dev.perigee.protocol.message.MessageQueue;
import dev.perigee.protocol.rpc.ResponseCode;
import dev.perigee.protocol.stats.QueueProgress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Consumer groups. */
@Command(name = "group", description = "List and describe consumer groups.", synopsisSubcommandLabel = "COMMAND")
final class GroupCommand {
    GroupCommand() {}

    @Command(name = "list", description = "List consumer groups.")
    int list(
            @Option(names = "--all", description = "System groups too.") boolean all,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            TreeMap<String, SubscriptionGroupConfig> known =
                    new TreeMap<>(admin.groups().list());
            if (!all) {
                known.keySet().removeIf(GroupName::isSystem);
            }
            List<SubscriptionGroupConfig> groups = List.copyOf(known.values());
            List<Column<SubscriptionGroupConfig>> columns = List.of(
                    Column.text("Group", "group", SubscriptionGroupConfig::groupName),
                    Column.text("Consumes", "consumeEnable", SubscriptionGroupConfig::consumeEnable),
                    Column.number("Retries", "retryMaxTimes", SubscriptionGroupConfig::retryMaxTimes),
                    Column.number("Retry queues", "retryQueues", SubscriptionGroupConfig::retryQueueNums));
            display.printer().rows(groups, columns, "no groups yet");
            return ExitCode.OK;
        });
    }

    /** A group's place in one queue. */
    private record ProgressLine(MessageQueue queue, QueueProgress progress) {
        private long lag() {
            return Math.max(0, progress.brokerOffset() - progress.consumerOffset());
        }
    }

    @Command(name = "describe", description = "Show how far a group is in every queue, and its members.")
    int describe(
            @Parameters(paramLabel = "GROUP", description = "Its name.") String group,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        Printer printer = display.printer();
        return Admin.use(reach, admin -> {
            if (!admin.groups().list().containsKey(group)) {
                throw CommandException.notFound("group " + group + " does not exist (see 'group list')");
            }
            List<ProgressLine> lines = new ArrayList<>();
            new TreeMap<>(progress(admin, group)).forEach((queue, at) -> lines.add(new ProgressLine(queue, at)));
            List<Column<ProgressLine>> columns = List.of(
                    Column.text("Topic", "topic", line -> line.queue().topic()),
                    Column.text("Broker", "broker", line -> line.queue().brokerName()),
                    Column.number("Queue", "queue", line -> line.queue().queueId()),
                    Column.number(
                            "Consumed",
                            "consumerOffset",
                            line -> line.progress().consumerOffset()),
                    Column.number("End", "brokerOffset", line -> line.progress().brokerOffset()),
                    Column.number("Lag", "lag", ProgressLine::lag));
            List<String> members = members(admin, group);
            if (printer.isJson()) {
                Map<String, Object> whole = new LinkedHashMap<>();
                whole.put("group", group);
                whole.put("members", members);
                whole.put("lag", lines.stream().mapToLong(ProgressLine::lag).sum());
                whole.put("queues", Printer.objects(lines, columns));
                printer.json(whole);
                return ExitCode.OK;
            }
            printer.line("group " + group + ": " + members.size() + " members, "
                    + lines.stream().mapToLong(ProgressLine::lag).sum() + " messages behind");
            members.forEach(member -> printer.line("  " + member));
            printer.rows(lines, columns, "no positions yet");
            return ExitCode.OK;
        });
    }

    @Command(name = "create", description = "Create a group, or change how often it retries.")
    int create(
            @Parameters(paramLabel = "GROUP", description = "Its name.") String group,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            admin.groups().createOrUpdate(SubscriptionGroupConfig.of(group));
            display.printer().members(Map.of("group", group));
            return ExitCode.OK;
        });
    }

    @Command(name = "delete", description = "Delete a group.")
    int delete(
            @Parameters(paramLabel = "GROUP", description = "Its name.") String group,
            @Option(names = "--keep-offsets", description = "Keep its positions.") boolean keepOffsets,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            admin.groups().delete(group, !keepOffsets);
            display.printer().members(Map.of("deleted", group));
            return ExitCode.OK;
        });
    }

    private static Map<MessageQueue, QueueProgress> progress(AdminClient admin, String group) throws ClientException {
        try {
            return admin.groups().progress(group).offsetTable();
        } catch (RefusedException e) {
            if (e.code() == ResponseCode.CONSUMER_NOT_ONLINE || e.code() == ResponseCode.TOPIC_NOT_EXIST) {
                return Map.of(); // it has never consumed
            }
            throw e;
        }
    }

    private static List<String> members(AdminClient admin, String group) throws ClientException {
        try {
            List<String> members = new ArrayList<>();
            for (ClientConnection connection : admin.groups().connections(group).connectionSet()) {
                members.add(connection.clientId() + " from " + connection.clientAddr());
            }
            members.sort(null);
            return members;
        } catch (RefusedException e) {
            if (e.code() == ResponseCode.CONSUMER_NOT_ONLINE) {
                return List.of();
            }
            throw e;
        }
    }
}
