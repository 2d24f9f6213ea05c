package dev.perigee.store.frame;

import dev.perigee.protocol.fact.Fact;
import dev.perigee.protocol.fact.Fact.UnknownFact;
import dev.perigee.protocol.fact.FactCodec;
import dev.perigee.protocol.fact.FeatureLevel;
import dev.perigee.protocol.fact.LogHead;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Says of which facts this release must not pass over: those of a later one that must be understood (R22). */
public final class KnownFacts {
    private KnownFacts() {}

    /**
     * Why this release may not read on behind a fact, in words that name its kind and both feature levels; empty where it may.
     *
     * @param fact what stands there; null for a message
     */
    public static Optional<String> objection(@Nullable Fact fact) {
        if (fact instanceof UnknownFact unknown && unknown.mustUnderstand()) {
            return Optional.of("a fact of kind '" + unknown.kind() + "' that must be understood");
        }
        if (fact instanceof FeatureLevel written && written.level() > FactCodec.LEVEL) {
            return Optional.of("a fact of kind '" + fact.kind() + "' from which on facts of level " + written.level()
                    + " are written");
        }
        if (fact instanceof LogHead head && head.featureLevel() != null && head.featureLevel() > FactCodec.LEVEL) {
            return Optional.of(
                    "a fact of kind '" + fact.kind() + "' that tells of facts of level " + head.featureLevel());
        }
        return Optional.empty();
    }

    /** What this release can do: the other half of the words. */
    public static String known() {
        return "this release knows facts up to level " + FactCodec.LEVEL;
    }
}
