package dev.perigee.broker.registration;

import java.io.IOException;

/** This slave was away for so long that its master's log begins behind its own: it must be started again, and then fills itself anew. */
public final class RefillWantedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** @param why names both logs */
    public RefillWantedException(Throwable why) {
        super("start this slave again: " + why.getMessage(), why);
    }
}
