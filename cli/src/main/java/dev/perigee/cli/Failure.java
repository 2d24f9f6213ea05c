package dev.perigee.cli;

import dev.perigee.cli.option.UnacceptedValueException;
import dev.perigee.cli.output.Harmless;
import dev.perigee.cli.output.OutputLostException;
import dev.perigee.cli.session.CommandException;
import dev.perigee.cli.session.ExitCode;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.error.DeadlineExceededException;
import dev.perigee.client.error.InvalidMessageException;
import dev.perigee.client.error.NoNameServerException;
import dev.perigee.client.error.NoRouteException;
import dev.perigee.client.error.UnreachableException;
import dev.perigee.loop.config.ConfigException;
import dev.perigee.remoting.call.RemotingException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Optional;
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
        command.getErr().println("perigee: " + Harmless.part(text(cause) + next(cause)) + (verbose ? "" : hint(cause)));
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
        command.getErr()
                .println("perigee: " + String.valueOf(thrown.getMessage()).replaceFirst("^Error: ", ""));
        Optional<String> meant = meant(thrown);
        meant.ifPresent(name -> command.getErr().println("Did you mean '" + name + "'?"));
        boolean saysAll = thrown.getCause() instanceof UnacceptedValueException || meant.isPresent();
        boolean isOption = thrown instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption();
        if (!saysAll && !(isOption && UnmatchedArgumentException.printSuggestions(thrown, command.getErr()))) {
            command.getErr().println("Try '" + command.getCommandSpec().qualifiedName() + " --help'.");
        }
        command.getErr().flush();
        return ExitCode.USAGE;
    }

    /** The command that was probably meant by a mistyped name. */
    private static Optional<String> meant(ParameterException thrown) {
        CommandLine command = thrown.getCommandLine();
        if (!(thrown instanceof UnmatchedArgumentException unmatched) || unmatched.isUnknownOption()) {
            return Optional.empty();
        }
        return NearWord.of(
                        unmatched.getUnmatched().get(0),
                        command.getCommandSpec().subcommands().entrySet().stream()
                                .filter(each -> !each.getValue()
                                        .getCommandSpec()
                                        .usageMessage()
                                        .hidden())
                                .map(Map.Entry::getKey)
                                .toList())
                .map(name -> command.getCommandSpec().qualifiedName() + " " + name);
    }

    static int exitCode(Throwable cause) {
        if (cause instanceof CommandException command) {
            return command.exitCode();
        }
        if (cause instanceof ConfigException || cause instanceof InvalidMessageException) {
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
        String message = cause instanceof ClientException failure ? failure.sentence() : cause.getMessage();
        boolean ours = cause instanceof CommandException
                || cause instanceof ClientException
                || cause instanceof ConfigException
                || cause.getClass().getName().startsWith("dev.perigee.");
        if (message == null) {
            return cause.getClass().getSimpleName();
        }
        return ours ? message : cause.getClass().getSimpleName() + ": " + message;
    }

    /** What to do about it, where nobody was reached. */
    private static String next(Throwable cause) {
        boolean wantsTls = cause instanceof ClientException
                && String.valueOf(cause.getMessage()).contains(RemotingException.TLS_WANTED);
        if (wantsTls) {
            return "; --tls encrypts";
        }
        if (!(cause instanceof NoNameServerException)) {
            return "";
        }
        Throwable root = rootOf(cause);
        if (root instanceof ConnectException) {
            return "; './perigee up' starts one, and -n or NAMESRV_ADDR says where it is";
        }
        boolean isWrongPlace = root == cause || root instanceof UnknownHostException;
        return isWrongPlace ? "; -n or NAMESRV_ADDR says where the NameServer is" : "";
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
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
