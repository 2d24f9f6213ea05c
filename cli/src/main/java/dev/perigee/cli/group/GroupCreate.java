package dev.perigee.cli.group;

import dev.perigee.cli.option.WholeNumber;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a group, or changes those of its settings that are given. */
@Command(name = "create", description = "Create a group, or change those of its settings that are given.")
final class GroupCreate implements Callable<Integer> {
    @Parameters(paramLabel = "GROUP", description = "Its name.")
    private String group = "";

    @Option(
            names = "--retries",
            converter = WholeNumber.Retries.class,
            description =
                    "How often a failed message comes again; -1 is 16 for concurrent listeners and without end for"
                            + " orderly ones. Default 16, or what the group has.")
    private @Nullable Integer retries;

    @Option(
            names = "--retry-queues",
            converter = WholeNumber.RetryQueues.class,
            description = "Queues of its retry topic; 0: a failed message does not come again. Default 1.")
    private @Nullable Integer retryQueues;

    @Option(names = "--consume", negatable = true, description = "Whether it may consume. Default: it may.")
    private @Nullable Boolean consume;

    @Option(
            names = "--broadcast",
            negatable = true,
            description = "Whether its members may each get everything. Default: they may.")
    private @Nullable Boolean broadcast;

    @Option(
            names = "--notify",
            negatable = true,
            description = "Whether members are told at once when one comes or goes. Default: they are.")
    private @Nullable Boolean notify;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    GroupCreate() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            Map<String, SubscriptionGroupConfig> settings = admin.groups().put(group, this::change);
            SubscriptionGroupConfig one = settings.values().iterator().next();
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("group", group);
            members.put("retryMaxTimes", one.retryMaxTimes());
            members.put("retryQueues", one.retryQueueNums());
            members.put("consumeEnable", one.consumeEnable());
            members.put("consumeBroadcastEnable", one.consumeBroadcastEnable());
            members.put("notifyConsumerIdsChangedEnable", one.notifyConsumerIdsChangedEnable());
            members.put("brokers", List.copyOf(settings.keySet()));
            display.printer().members(members);
            return ExitCode.OK;
        });
    }

    private SubscriptionGroupConfig change(SubscriptionGroupConfig known) {
        return new SubscriptionGroupConfig(
                known.groupName(),
                or(consume, known.consumeEnable()),
                known.consumeFromMinEnable(),
                or(broadcast, known.consumeBroadcastEnable()),
                known.consumeMessageOrderly(),
                or(retryQueues, known.retryQueueNums()),
                or(retries, known.retryMaxTimes()),
                known.groupRetryPolicy(),
                known.brokerId(),
                known.whichBrokerWhenConsumeSlowly(),
                or(notify, known.notifyConsumerIdsChangedEnable()),
                known.groupSysFlag(),
                known.consumeTimeoutMinute(),
                known.subscriptionDataSet(),
                known.attributes());
    }

    private static <T> T or(@Nullable T given, T known) {
        return given == null ? known : given;
    }
}
