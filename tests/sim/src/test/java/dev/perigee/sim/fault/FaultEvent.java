package dev.perigee.sim.fault;

/**
 * One thing that goes wrong.
 *
 * @param atMs when, in milliseconds since the cluster began
 * @param kind what
 * @param on the process or machine it happens to; the one frames come from
 * @param other the process at the other end of a road; {@link #NOBODY} where there is none
 * @param lastsMs how long it lasts; for a process that ends, how long it stays away
 * @param amount how much, as its kind says
 */
public record FaultEvent(long atMs, FaultKind kind, String on, String other, long lastsMs, long amount) {
    /** There is no other end. */
    public static final String NOBODY = "-";

    private static final String SEPARATOR = ":";
    private static final int FIELDS = 6;

    /** The same, but something else goes wrong. */
    public FaultEvent as(FaultKind what) {
        return new FaultEvent(atMs, what, on, other, lastsMs, amount);
    }

    /** As it is written on a command line: no blanks, and nothing a shell takes for its own. */
    @Override
    public String toString() {
        return String.join(
                SEPARATOR, Long.toString(atMs), kind.name(), on, other, Long.toString(lastsMs), Long.toString(amount));
    }

    /**
     * Reads what {@link #toString} wrote.
     *
     * @throws IllegalArgumentException when it is none, with its text
     */
    public static FaultEvent parse(String text) {
        String[] fields = text.split(SEPARATOR, -1);
        if (fields.length != FIELDS) {
            throw new IllegalArgumentException("event '" + text + "' has " + fields.length + " fields, not " + FIELDS
                    + ": atMs:KIND:on:other:lastsMs:amount");
        }
        try {
            return new FaultEvent(
                    Long.parseLong(fields[0]),
                    FaultKind.valueOf(fields[1]),
                    fields[2],
                    fields[3],
                    Long.parseLong(fields[4]),
                    Long.parseLong(fields[5]));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("event '" + text + "' cannot be read: " + e.getMessage(), e);
        }
    }
}
