package dev.perigee.cli.session;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A command cannot do what it was asked for. The text is all that a user sees: one line that says what and why, or one for each broker. */
public final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /** How the topic of traces comes to be. */
    public static final String TRACES_ON =
            "a broker makes it that has traceTopicEnable=true, as after './perigee up --set traceTopicEnable=true'";

    private final int exitCode;
    private final transient List<String> more;

    public CommandException(int exitCode, String message) {
        this(exitCode, message, null);
    }

    public CommandException(int exitCode, String message, @Nullable Throwable cause) {
        this(exitCode, message, cause, List.of());
    }

    private CommandException(int exitCode, String message, @Nullable Throwable cause, List<String> more) {
        super(message, cause);
        this.exitCode = exitCode;
        this.more = List.copyOf(more);
    }

    /** With several lines, the first of which is the message. */
    static CommandException of(int exitCode, List<String> lines) {
        return new CommandException(exitCode, lines.get(0), null, lines.subList(1, lines.size()));
    }

    /** A named thing that does not exist. */
    public static CommandException notFound(String what) {
        return new CommandException(ExitCode.NOT_FOUND, what);
    }

    /** A topic of traces that does not exist. */
    public static CommandException noTraces(String topic) {
        return notFound("topic " + topic + " does not exist, so nothing is traced: " + TRACES_ON);
    }

    /** Lines behind that of the message. */
    public List<String> more() {
        return more;
    }

    /** One of {@link ExitCode}. */
    public int exitCode() {
        return exitCode;
    }
}
