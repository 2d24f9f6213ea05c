package dev.perigee.store.recovery;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.store.frame.KnownFacts;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The log has what a later release decided and this one does not understand (R22). The node must not start: what it would decide may contradict
 * that. Nothing was changed.
 */
public final class LaterReleaseException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long offset;

    private LaterReleaseException(long offset, String what) {
        super("the log has at offset " + offset + " " + what + ", and " + KnownFacts.known()
                + ": start the release that wrote it, or a later one");
        this.offset = offset;
    }

    /**
     * Looks at a fact of the log.
     *
     * @param fact what stands there; null for a message
     * @throws LaterReleaseException when this release must not pass over it
     */
    static void check(@Nullable Fact fact, long offset) throws LaterReleaseException {
        Optional<String> objection = KnownFacts.objection(fact);
        if (objection.isPresent()) {
            throw new LaterReleaseException(offset, objection.get());
        }
    }

    /** Where that fact stands. */
    public long offset() {
        return offset;
    }
}
