package dev.perigee.cli.session;

import dev.perigee.cli.output.Harmless;
import dev.perigee.cli.output.Printer;
import dev.perigee.cli.output.Progress;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option of commands that read: for a person or for a program. */
public final class Display {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Option(names = "--json", description = "Print JSON instead of tables.")
    private boolean json;

    @SuppressWarnings("NullAway.Init") // picocli sets mixee before the command runs
    public Display() {}

    /** A bar for long work; nothing in JSON and where no terminal is. */
    public Progress progress(String task, long total) {
        return json ? Progress.silent() : Progress.start(task, total);
    }

    /** Says on standard error what a person should know of what was done; in JSON, too. */
    public void warn(String text) {
        mixee.commandLine().getErr().println("perigee: " + Harmless.part(text));
        mixee.commandLine().getErr().flush();
    }

    /** Prints to where the command line prints. */
    public Printer printer() {
        return new Printer(mixee.commandLine().getOut(), json ? Printer.Format.JSON : Printer.Format.TEXT);
    }
}
