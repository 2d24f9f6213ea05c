package dev.perigee.dist;

import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;

/** What every command that starts a server does alike: name settings it passes over, show settings, say when it is ready, serve. */
final class ServerStart {
    private final PrintWriter out;
    private final PrintWriter err;
    private final Lifecycle lifecycle;

    ServerStart(CommandSpec spec, Lifecycle lifecycle) {
        this.out = spec.commandLine().getOut();
        this.err = spec.commandLine().getErr();
        this.lifecycle = lifecycle;
    }

    /** Names on standard error what of a configuration is not obeyed, a line each. */
    void warn(List<String> lines) {
        lines.forEach(line -> err.println("perigee: " + line));
        err.flush();
    }

    /** Prints settings as they would stand in a file, instead of starting. */
    int print(Map<?, ?> settings) {
        out.print(ConfigFile.text(settings));
        out.flush();
        return ExitCode.OK;
    }

    /** Prints a line or a text of several on standard output. */
    void say(String text) {
        out.println(text);
        out.flush();
    }

    /** Says that everything is ready and serves until the stop. Blocks. */
    int serve(String readyText, Lifecycle.Closing closing) throws CommandException {
        say(readyText);
        lifecycle.serve(closing);
        return ExitCode.OK;
    }
}
