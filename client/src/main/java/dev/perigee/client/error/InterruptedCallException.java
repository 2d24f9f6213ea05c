package dev.perigee.client.error;

/** The calling thread was interrupted while it waited. Its interrupt flag is set again; the operation may still happen. */
public final class InterruptedCallException extends ClientException {
    private static final long serialVersionUID = 1L;

    public InterruptedCallException(String what, FailureSite site, InterruptedException cause) {
        super(what, site, cause);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    @Override
    public boolean mayHaveTakenEffect() {
        return true;
    }
}
