package dev.perigee.cli;

import dev.perigee.cli.option.WholeNumber;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.group.GroupName;
import dev.perigee.protocol.group.SubscriptionGroupConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
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
            List<GroupSettings> groups = GroupSettings.all(admin).stream()
                    .filter(group -> all || !GroupName.isSystem(group.config().groupName()))
                    .toList();
            display.printer().rows(groups, GroupSettings.COLUMNS, "no groups yet");
            return ExitCode.OK;
        });
    }

    @Command(name = "describe", description = "Show how far a group is in every queue, and its members.")
    int describe(
            @Parameters(paramLabel = "GROUP", description = "Its name.") String group,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            List<GroupSettings> settings = GroupSettings.all(admin).stream()
                    .filter(known -> known.config().groupName().equals(group))
                    .toList();
            if (settings.isEmpty()) {
                throw CommandException.notFound("group " + group + " does not exist (see 'group list')");
            }
            GroupDescription.of(admin, group, settings).print(display.printer());
            return ExitCode.OK;
        });
    }

    @Command(name = "create", description = "Create a group, or change how often it retries.")
    int create(
            @Parameters(paramLabel = "GROUP", description = "Its name.") String group,
            @Option(
                            names = "--retries",
                            converter = WholeNumber.Retries.class,
                            description = "How often a failed message comes again; -1 is 16 for concurrent listeners"
                                    + " and without end for orderly ones. Default 16, or what the group has.")
                    @Nullable
                    Integer retries,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            Map<String, String> masters = Admin.masters(admin);
            int retryMaxTimes = SubscriptionGroupConfig.of(group).retryMaxTimes();
            for (String address : masters.values()) {
                SubscriptionGroupConfig known = admin.groups()
                        .allConfigs(address)
                        .subscriptionGroupTable()
                        .get(group);
                SubscriptionGroupConfig config = known == null ? SubscriptionGroupConfig.of(group) : known;
                SubscriptionGroupConfig wanted = retries == null ? config : config.withRetryMaxTimes(retries);
                admin.groups().createOrUpdate(wanted, List.of(address));
                retryMaxTimes = wanted.retryMaxTimes();
            }
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("group", group);
            members.put("retryMaxTimes", retryMaxTimes);
            members.put("brokers", List.copyOf(masters.values()));
            display.printer().members(members);
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
}
