package dev.perigee.broker.registration;

import java.io.IOException;

/** This master runs although NameServers and another broker agree that the other one is the master of its name now. */
public final class ReplacedMasterException extends IOException {
    private static final long serialVersionUID = 1L;

    /** The text names both. */
    public ReplacedMasterException(String message) {
        super(message);
    }
}
