package dev.perigee.cli.session;

import org.jspecify.annotations.Nullable;

/** A command cannot do what it was asked for. The text is all that a user sees: one line that says what and why. */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    public CommandException(int exitCode, String message) {
        this(exitCode, message, null);
    }

    public CommandException(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** A named thing that does not exist. */
    public static CommandException notFound(String what) {
        return new CommandException(ExitCode.NOT_FOUND, what);
    }

    /** One of {@link ExitCode}. */
    public int exitCode() {
        return exitCode;
    }
}
