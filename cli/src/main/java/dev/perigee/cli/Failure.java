package dev.perigee.cli;

import dev.perigee.cli.option.UnacceptedValueException;
import dev.perigee.cli.output.Harmless;
import dev.perigee.cli.output.OutputLostException;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.loop.config.ConfigException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/** Turns a failure into one line, or one for each broker, and an exit code. */
final class Failure {
    private Failure() {}

    /** For picocli: a command has thrown. */
    static int report(Exception thrown, CommandLine command, @Nullable ParseResult ignored) {
        Throwable cause = unwrap(thrown);
        boolean verbose = isVerbose(command);
        command.getErr().println("perigee: " + Harmless.part(text(cause)) + (verbose ? "" : hint(cause)));
        if (cause instanceof CommandException told) {
            told.more().forEach(line -> command.getErr().println("perigee: " + Harmless.part(line)));
        }
        if (verbose) {
            cause.printStackTrace(command.getErr());
        }
        command.getErr().flush();
        return exitCode(cause);
    }

    /** For picocli: the words could not be read. */
    static int reportUsage(ParameterException thrown, String[] words) {
        CommandLine command = thrown.getCommandLine();
        command.getErr().println("perigee: " + thrown.getMessage());
        boolean saysAll = thrown.getCause() instanceof UnacceptedValueException;
        if (!saysAll && !UnmatchedArgumentException.printSuggestions(thrown, command.getErr())) {
            command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        command.getErr().flush();
        return ExitCode.USAGE;
    }

    static int exitCode(Throwable cause) {
        if (cause instanceof CommandException command) {
            return command.exitCode();
        }
        if (cause instanceof ConfigException) {
            return ExitCode.USAGE;
        }
        if (cause instanceof NoRouteException) {
            return ExitCode.NOT_FOUND;
        }
        boolean silent = cause instanceof UnreachableException
                || cause instanceof DeadlineExceededException
                || cause instanceof NoNameServerException;
        return silent ? ExitCode.UNREACHABLE : ExitCode.FAILED;
    }

    private static String text(Throwable cause) {
        String message = cause.getMessage();
        boolean ours = cause instanceof CommandException
                || cause instanceof ClientException
                || cause instanceof ConfigException
                || cause.getClass().getName().startsWith("dev.perigee.");
        if (message == null) {
            return cause.getClass().getSimpleName();
        }
        return ours ? message : cause.getClass().getSimpleName() + ": " + message;
    }

    private static String hint(Throwable cause) {
        boolean saysAll = cause instanceof ConfigException || cause instanceof OutputLostException;
        return cause instanceof RuntimeException && !saysAll ? " (with --verbose: where it happened)" : "";
    }

    private static Throwable unwrap(Throwable thrown) {
        Throwable cause = thrown;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static boolean isVerbose(CommandLine command) {
        return command.getCommandSpec().root().userObject() instanceof Perigee root && root.isVerbose();
    }
}
