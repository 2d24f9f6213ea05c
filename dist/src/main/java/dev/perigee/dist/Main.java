package dev.perigee.dist;

import dev.perigee.cli.Perigee;
import dev.perigee.cli.session.ExitCode;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The entry of the process. */
public final class Main {
    private Main() {}

    /**
     * Runs one command and ends the process with its exit code.
     *
     * @param args the words of the command line
     */
    public static void main(String[] args) {
        Lifecycle lifecycle = Lifecycle.ofProcess();
        int exitCode = Perigee.commandLine(serverCommands(lifecycle), args).execute(args);
        if (exitCode
                != ExitCode.OK) { // a server that did not start; one that did has done it, and commands have no queue
            LogSetup.flush();
        }
        lifecycle.over();
        System.exit(exitCode);
    }

    /** The commands that need more than clients. */
    static Map<String, Supplier<Object>> serverCommands(Lifecycle lifecycle) {
        Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
        commands.put("up", () -> new UpCommand(lifecycle));
        commands.put("namesrv", () -> new NamesrvCommand(lifecycle));
        commands.put("broker", () -> new BrokerCommand(lifecycle));
        commands.put("log", LogCommand::new);
        commands.put("rehearse", RehearseCommand::new);
        return commands;
    }
}
