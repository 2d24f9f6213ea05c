package dev.perigee.protocol.fact;

/**
 * All members understand the facts of this level; they may be written from here on.
 *
 * @param level from 0
 */
public record FeatureLevel(int level) implements Fact {
    static final String KIND = "FEATURE_LEVEL";

    @Override
    public String kind() {
        return KIND;
    }
}
