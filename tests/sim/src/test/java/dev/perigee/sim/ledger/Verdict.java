package dev.perigee.sim.ledger;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The first thing that did not hold in a run. */
public final class Verdict {
    private @Nullable String problem;

    /** Something does not hold. */
    public void broken(Class<?> which, String how) {
        if (problem == null) {
            problem = which.getSimpleName() + ": " + how;
        }
    }

    /** What did not hold first. */
    public Optional<String> problem() {
        return Optional.ofNullable(problem);
    }
}
