package dev.perigee.client.error;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A failed client operation. The text names address, topic, attempt and remaining time; the subclass says what kind of
 * failure it was. Futures of the client are completed exceptionally with the same types.
 */
public abstract class ClientException extends Exception {
    private static final long serialVersionUID = 2L;

    private final String what;
    private final FailureSite site;

    ClientException(String what, FailureSite site, @Nullable Throwable cause) {
        super(what + " [" + site + "]", cause);
        this.what = what;
        this.site = site;
    }

    /** Where the operation stood when it failed. */
    public final FailureSite site() {
        return site;
    }

    /**
     * What failed, for a person: the words of the message, with the topic and the peer where these do not name them, and without the
     * numbers of the try.
     */
    public final String sentence() {
        List<String> more = new ArrayList<>();
        if (!site.topic().equals(FailureSite.NONE) && !what.contains(site.topic())) {
            more.add("topic " + site.topic());
        }
        if (!site.address().equals(FailureSite.NONE) && !what.contains(site.address())) {
            more.add("at " + site.address());
        }
        return more.isEmpty() ? what : what + " (" + String.join(", ", more) + ")";
    }

    /** Whether the same operation may succeed when it is tried again later, unchanged. */
    public abstract boolean isRetryable();

    /**
     * Whether the operation may have taken effect although it failed: its request, or that of an earlier try, which is then
     * among the suppressed exceptions, may have been carried out.
     */
    public final boolean mayHaveTakenEffect() {
        if (mayHaveBeenCarriedOut()) {
            return true;
        }
        for (Throwable earlier : getSuppressed()) {
            if (earlier instanceof ClientException failure && failure.mayHaveTakenEffect()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the last try may have been carried out. */
    boolean mayHaveBeenCarriedOut() {
        return false;
    }

    /** The same failure as part of a longer operation, of whose deadline that much is left; this one when it says so. */
    public final ClientException withRemainingMs(long remainingMs) {
        if (remainingMs == site.remainingMs()) {
            return this;
        }
        return with(what, site.withRemainingMs(remainingMs));
    }

    /** The same failure of a last try, whose text tells as well what an earlier one was answered: that is why there was a last one. */
    public final ClientException afterAnswer(RefusedException earlier) {
        ClientException answer = earlier;
        return with(what + "; before, " + answer.site.address() + " answered: " + answer.what, site);
    }

    private ClientException with(String text, FailureSite place) {
        ClientException moved = at(text, place);
        for (Throwable suppressed : getSuppressed()) {
            moved.addSuppressed(suppressed);
        }
        return moved;
    }

    /** A failure of the same kind and cause, with another text or at another place. */
    abstract ClientException at(String text, FailureSite place);
}
