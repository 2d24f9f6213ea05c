package dev.perigee.protocol.topic;

/**
 * How recent a broker's tables are. Equal versions mean equal tables.
 *
 * @param timestamp milliseconds
 */
public record DataVersion(long stateVersion, long timestamp, long counter) {
    public static final DataVersion NONE = new DataVersion(0, 0, 0);

    /** The version after one more change. */
    public DataVersion next(long nowMs) {
        return new DataVersion(stateVersion, nowMs, counter + 1);
    }
}
