package dev.perigee.dist;

import dev.perigee.cli.Perigee;
import java.util.List;

/** The entry of the process. */
public final class Main {
    private Main() {}

    /**
     * Runs one command and ends the process with its exit code.
     *
     * @param args the words of the command line
     */
    public static void main(String[] args) {
        int exitCode =
                Perigee.commandLine(serverCommands(Lifecycle.ofProcess())).execute(args);
        LogSetup.flush();
        System.exit(exitCode);
    }

    /** The commands that need more than clients. */
    static List<Object> serverCommands(Lifecycle lifecycle) {
        return List.of(
                new UpCommand(lifecycle),
                new NamesrvCommand(lifecycle),
                new BrokerCommand(lifecycle),
                new LogCommand(),
                new RehearseCommand());
    }
}
