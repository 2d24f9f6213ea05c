package dev.perigee.cli.group;

import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Confirmation;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import dev.perigee.protocol.group.GroupName;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Consumer groups. */
@Command(
        name = "group",
        description = "List, make and describe consumer groups, and set where they go on.",
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {GroupCreate.class, GroupLag.class, GroupResetOffset.class, GroupCloneOffset.class})
public final class GroupCommand {
    /** Called by picocli. */
    public GroupCommand() {}

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

    @Command(name = "delete", description = "Delete a group.")
    int delete(
            @Parameters(paramLabel = "GROUP", description = "Its name.") String group,
            @Option(names = "--keep-offsets", description = "Keep its positions.") boolean keepOffsets,
            @Mixin Confirmation confirmation,
            @Mixin Reach reach,
            @Mixin Display display)
            throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            Admin.requireGroup(admin, group);
            int members = admin.clients().ofGroup(group).size();
            confirmation.require("this deletes group " + group + (keepOffsets ? "" : " with its positions")
                    + (members == 0 ? "" : "; members that are connected: " + members));
            admin.groups().delete(group, !keepOffsets);
            Map<String, Object> done = new LinkedHashMap<>();
            done.put("deleted", group);
            done.put("members", members);
            Printer printer = display.printer();
            printer.members(done);
            if (members > 0) {
                printer.sentence("its members are still there: brokers that make groups by themselves make it again");
            }
            return ExitCode.OK;
        });
    }
}
