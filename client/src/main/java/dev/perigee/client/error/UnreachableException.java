package dev.perigee.client.error;

import dev.perigee.remoting.call.RemotingException;
import org.jspecify.annotations.Nullable;

/** No connection to the peer could be made, or it broke before the answer came. */
public final class UnreachableException extends ClientException {
    private static final long serialVersionUID = 1L;

    public UnreachableException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what, site, cause);
    }

    public UnreachableException(String what, FailureSite site) {
        this(what, site, null);
    }

    @Override
    public boolean isRetryable() {
        return true;
    }

    /** Not when the request never left. */
    @Override
    boolean mayHaveBeenCarriedOut() {
        Throwable cause = getCause();
        return site().attempt() > 0
                && cause != null
                && !(cause instanceof RemotingException.ConnectFailed)
                && !(cause instanceof RemotingException.TooManyCalls)
                && !(cause instanceof RemotingException.FrameTooLarge);
    }

    @Override
    ClientException at(String text, FailureSite place) {
        return new UnreachableException(text, place, getCause());
    }
}
