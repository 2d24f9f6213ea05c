package dev.perigee.cli.option;

import dev.perigee.remoting.address.AddressText;
import picocli.CommandLine.ITypeConverter;

/**
 * Reads whole numbers within bounds, both included. Every number on a command line has one of the kinds below as its
 * converter, so that a value out of range is refused by name, with the range.
 */
public final class WholeNumber {
    /** Most queues of a topic on one broker. */
    private static final int MAX_QUEUES = 16_384;

    private static final int MAX_RETRY_QUEUES = 1_024;

    private static final int MAX_PERMISSION = 7;
    private static final int MAX_BODY_BYTES = 12 * 1024 * 1024;
    private static final int MAX_COUNT = 1_000_000_000;
    private static final int HOUR_MS = 3_600_000;
    /** What a broker gives at most to one query by key. */
    private static final int MAX_HITS = 64;

    private static final int MAX_ROWS = 100_000;

    private WholeNumber() {}

    private static long read(String text, long min, long max) {
        try {
            long value = Long.parseLong(text.strip());
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw refused(text, min, max);
        }
        throw refused(text, min, max);
    }

    private static UnacceptedValueException refused(String text, long min, long max) {
        return new UnacceptedValueException(text, "a whole number from " + min + " to " + max);
    }

    /** A port; 0 lets the system choose. */
    public static final class Port implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 0, AddressText.MAX_PORT);
        }
    }

    /** Milliseconds one request may take. */
    public static final class TimeoutMs implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, HOUR_MS);
        }
    }

    /** How many queues a topic has. */
    public static final class Queues implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, MAX_QUEUES);
        }
    }

    /** The number of one queue. */
    public static final class QueueId implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 0, MAX_QUEUES - 1);
        }
    }

    /** Bits of a permission. */
    public static final class Perm implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 0, MAX_PERMISSION);
        }
    }

    /** How often a message is delivered again; −1 leaves it to the kind of listener. */
    public static final class Retries implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, -1, Integer.MAX_VALUE);
        }
    }

    /** How many queues a retry topic has; 0 for no retries. */
    public static final class RetryQueues implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 0, MAX_RETRY_QUEUES);
        }
    }

    /** How many messages are made. */
    public static final class Count implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, MAX_COUNT);
        }
    }

    /** Bytes of a body. */
    public static final class BodySize implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 0, MAX_BODY_BYTES);
        }
    }

    /** How many messages a query gives at most. */
    public static final class Hits implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, MAX_HITS);
        }
    }

    /** How many rows are shown at most. */
    public static final class Rows implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return (int) read(text, 1, MAX_ROWS);
        }
    }

    /** After how many the work ends; 0 for never. */
    public static final class Limit implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(text, 0, Long.MAX_VALUE);
        }
    }

    /** A place in a queue or log. */
    public static final class Offset implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return read(text, 0, Long.MAX_VALUE);
        }
    }
}
