package dev.perigee.cli.group;

import dev.perigee.cli.session.Admin;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.cli.session.Reach;
import dev.perigee.client.error.ClientException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lets one group go on where another is. */
@Command(name = "clone-offset", description = "Set a group to where another group is.")
final class GroupCloneOffset implements Callable<Integer> {
    private static final String ALL_TOPICS = "";

    @Parameters(index = "0", paramLabel = "FROM", description = "The group whose positions are copied.")
    private String from = "";

    @Parameters(index = "1", paramLabel = "TO", description = "The group that gets them.")
    private String to = "";

    @Option(names = "--topic", description = "Only this topic; default: all that FROM has a position in.")
    private String topic = ALL_TOPICS;

    @Mixin
    private Reach reach = new Reach();

    @Mixin
    private Display display = new Display();

    GroupCloneOffset() {}

    @Override
    public Integer call() throws ClientException, CommandException {
        return Admin.use(reach, admin -> {
            Admin.requireGroup(admin, from);
            Admin.requireGroup(admin, to);
            if (!topic.equals(ALL_TOPICS)) {
                Admin.requireTopic(admin, topic);
            }
            admin.groups().cloneOffsets(from, to, topic);
            Map<String, String> members = new LinkedHashMap<>();
            members.put("from", from);
            members.put("to", to);
            members.put("topic", topic.equals(ALL_TOPICS) ? "all" : topic);
            display.printer().members(members);
            return ExitCode.OK;
        });
    }
}
