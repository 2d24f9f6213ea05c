package dev.perigee.sim.cluster;

/** What a listener throws that was told to end its thread. */
public final class PlannedError extends Error {
    private static final long serialVersionUID = 1L;

    /** An error of that text. */
    public PlannedError(String message) {
        super(message);
    }
}
