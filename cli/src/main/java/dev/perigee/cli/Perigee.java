package dev.perigee.cli;

import dev.perigee.cli.output.Printer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code perigee} command: what it is made of, and what becomes of a failure. */
@Command(
        name = "perigee",
        description = "A message queue that speaks the RocketMQ protocol.",
        synopsisSubcommandLabel = "COMMAND",
        sortOptions = false,
        mixinStandardHelpOptions = true,
        scope = ScopeType.INHERIT,
        versionProvider = Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:Done.",
            "1:The server refused, or the operation failed.",
            "2:The command line or a configuration file is wrong.",
            "3:Nobody answered at the address, or not in time.",
            "4:The topic, group, broker or message named does not exist.",
            "5:The log could not be written any more, so the broker stopped.",
            "130:Ended by Ctrl-C."
        },
        subcommands = {HelpCommand.class})
public final class Perigee implements Runnable {
    @Spec
    private CommandSpec spec;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Show the stack trace of a failure and more of the log.")
    private boolean verbose;

    @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
    Perigee() {}

    boolean isVerbose() {
        return verbose;
    }

    /**
     * The whole command line.
     *
     * @param serverCommands annotated picocli commands that this module cannot know, because it sees clients only; they
     *     come first
     */
    public static CommandLine commandLine(List<Object> serverCommands) {
        CommandLine line = new CommandLine(new Perigee());
        serverCommands.forEach(line::addSubcommand);
        List.of(
                        new TopicCommand(),
                        new GroupCommand(),
                        new SendCommand(),
                        new ConsumeCommand(),
                        new MessageCommand(),
                        new ClusterCommand(),
                        new BenchCommand(),
                        new Completion(),
                        new VersionCommand())
                .forEach(line::addSubcommand);
        line.setExecutionExceptionHandler(Failure::report);
        line.setParameterExceptionHandler(Failure::reportUsage);
        line.setUsageHelpAutoWidth(true);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        return line;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Prints the script that completes words. */
    @Command(name = "completion", description = "Print a completion script: source <(./perigee completion)")
    static final class Completion implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @SuppressWarnings("NullAway.Init") // picocli sets spec before the command runs
        Completion() {}

        @Override
        public Integer call() {
            CommandLine root = spec.root().commandLine();
            root.getOut().print(AutoComplete.bash(root.getCommandName(), root));
            root.getOut().flush();
            return ExitCode.OK;
        }
    }

    /** Prints the version. */
    @Command(name = "version", description = "Print the version.")
    static final class VersionCommand implements Callable<Integer> {
        @Mixin
        private Display display = new Display();

        VersionCommand() {}

        @Override
        public Integer call() {
            Map<String, String> members = new LinkedHashMap<>();
            members.put("perigee", Version.number());
            members.put("java", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
            Printer printer = display.printer();
            printer.members(members);
            return ExitCode.OK;
        }
    }
}
