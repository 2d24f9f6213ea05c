package dev.perigee.protocol.fact;

/**
 * Everything before this physical offset may be gone.
 *
 * @param startOffset physical offset of the first frame kept
 */
public record LogTrimmed(long startOffset) implements Fact {
    static final String KIND = "LOG_TRIMMED";

    @Override
    public String kind() {
        return KIND;
    }
}
