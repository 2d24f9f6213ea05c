package dev.perigee.protocol.fact;

/**
 * A writer took over the log; all frames from here on carry its number in their stamp.
 *
 * @param number larger than every epoch before, not always by one
 * @param id random, tells two epochs of the same number apart
 */
public record EpochStarted(int number, String id) implements Fact {
    static final String KIND = "EPOCH_STARTED";

    @Override
    public String kind() {
        return KIND;
    }
}
