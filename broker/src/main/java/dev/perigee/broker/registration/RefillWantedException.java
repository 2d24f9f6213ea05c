package dev.perigee.broker.registration;

import java.io.IOException;

/** This slave, or member of a group, was away for so long that its master's log begins behind its own: it must be started again, and then fills itself anew. */
public final class RefillWantedException extends IOException {
    private static final long serialVersionUID = 1L;

    /**
     * Of one of them.
     *
     * @param what it is, for the text
     * @param why names both logs
     */
    public RefillWantedException(String what, Throwable why) {
        super("start this " + what + " again: " + why.getMessage(), why);
    }
}
