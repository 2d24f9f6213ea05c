package dev.perigee.store.recovery;

import java.io.IOException;

/**
 * Acknowledged bytes of the log are damaged (R7). The node must not start: going on would lose them silently. The text
 * names the place and the way out.
 */
public final class CorruptLogException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long offset;

    CorruptLogException(long offset, String what) {
        super("the log is damaged at offset " + offset + ": " + what
                + ". Restore the file from a copy, or give up everything from there on with"
                + " 'perigee log cut --accept-loss --at " + offset + " FOLDER'");
        this.offset = offset;
    }

    /** Where the damage begins. */
    public long offset() {
        return offset;
    }
}
