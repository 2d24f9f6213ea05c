package dev.perigee.cli.output;

/** Standard output takes no more: who read it is gone, or its disk is full. A command that follows something ends by it. */
public final class OutputLostException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutputLostException() {
        super("standard output takes no more: its reader has gone, or its disk is full");
    }
}
