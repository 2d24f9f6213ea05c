package dev.perigee.cli;

import dev.perigee.cli.group.ClientCommand;
import dev.perigee.cli.group.DlqCommand;
import dev.perigee.cli.group.GroupCommand;
import dev.perigee.cli.message.MessageCommand;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.session.Display;
import dev.perigee.cli.session.ExitCode;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
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
    private static final String COMPLETION = "completion";
    private static final Map<String, Supplier<Object>> CLIENT_COMMANDS = clientCommands();

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
     * The command line that runs these words. Reading the annotations of a command takes its time, so when the first word
     * names a command, only that one is read; help, completion and mistyped words see all of them.
     *
     * @param serverCommands annotated picocli commands by name that this module cannot know, because it sees clients only;
     *     they come first
     * @param words what will be executed
     */
    public static CommandLine commandLine(Map<String, Supplier<Object>> serverCommands, String... words) {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>(serverCommands);
        commands.putAll(CLIENT_COMMANDS);
        CommandLine line = new CommandLine(new Perigee());
        Supplier<Object> wanted = words.length == 0 ? null : commands.get(words[0]);
        if (wanted == null) {
            commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
            line.addSubcommand(COMPLETION, new Completion());
        } else {
            line.addSubcommand(words[0], wanted.get());
        }
        line.setExecutionExceptionHandler(Failure::report);
        line.setParameterExceptionHandler(Failure::reportUsage);
        line.setUsageHelpAutoWidth(true);
        line.setCaseInsensitiveEnumValuesAllowed(true);
        return line;
    }

    private static Map<String, Supplier<Object>> clientCommands() {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("topic", TopicCommand::new);
        commands.put("group", GroupCommand::new);
        commands.put("client", ClientCommand::new);
        commands.put("dlq", DlqCommand::new);
        commands.put("tx", TxCommand::new);
        commands.put("send", SendCommand::new);
        commands.put("consume", ConsumeCommand::new);
        commands.put("message", MessageCommand::new);
        commands.put("cluster", ClusterCommand::new);
        commands.put("raft", RaftCommand::new);
        commands.put("bench", BenchCommand::new);
        commands.put("version", VersionCommand::new);
        return Collections.unmodifiableMap(commands);
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Prints the script that completes words. */
    @Command(name = COMPLETION, description = "Print a completion script: source <(./perigee completion)")
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
