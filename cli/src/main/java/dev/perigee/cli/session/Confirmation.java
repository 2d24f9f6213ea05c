package dev.perigee.cli.session;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option of commands that cannot be taken back: agreed to beforehand, asked for in a terminal, or refused. */
public final class Confirmation {
    /** Set to true by the launcher when standard input and error are a terminal; Java itself cannot tell which. */
    private static final String ASKS = "perigee.asks";

    @Spec(Spec.Target.MIXEE)
    private CommandSpec mixee;

    @Option(names = "--yes", description = "Do it without asking.")
    private boolean yes;

    @SuppressWarnings("NullAway.Init") // picocli sets mixee before the command runs
    public Confirmation() {}

    /**
     * Returns when it may be done. Blocks until a person has answered, where there is one.
     *
     * @param what what would be done, a sentence without its end
     * @throws CommandException when it may not
     */
    public void require(String what) throws CommandException {
        if (!yes && !Boolean.getBoolean(ASKS)) {
            throw new CommandException(ExitCode.USAGE, what + "; --yes does it");
        }
        ask(what);
    }

    /**
     * Returns when it may be done; where nobody can be asked it may, for another command takes it back. Blocks until a person has answered,
     * where there is one.
     *
     * @param what what would be done, a sentence without its end
     * @throws CommandException when it may not
     */
    public void ask(String what) throws CommandException {
        if (yes || !Boolean.getBoolean(ASKS)) {
            return;
        }
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        if (!isAgreed(what, in, mixee.commandLine().getErr())) {
            throw new CommandException(ExitCode.FAILED, "nothing was done");
        }
    }

    static boolean isAgreed(String what, BufferedReader in, PrintWriter err) throws CommandException {
        err.print("perigee: " + what + ". Do it? [y/N] ");
        err.flush();
        try {
            String answer = in.readLine();
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("y|yes");
        } catch (IOException e) {
            throw new CommandException(ExitCode.FAILED, "nothing was done: no answer could be read: " + e, e);
        }
    }
}
