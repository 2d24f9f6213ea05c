package dev.perigee.faults.history;

/** One line of a history; {@code HistoryFile} of the driver says how it is written. Times are microseconds of the monotonic clock. */
public sealed interface Operation {
    /** Where the sender begins in {@link #idOf}, in bits. */
    int SENDER_BIT = 40;

    /** An offset no message has. */
    long NONE = -1;

    /** A message no sender sent: its body is not what that sender's message of that number has. */
    long DAMAGED = -1;

    /**
     * A send that was answered or given up.
     *
     * @param sender who sent it
     * @param number counts the messages of its sender
     * @param outcome the send status, or REFUSED or UNKNOWN
     * @param queue where it lies, when there was a send status
     * @param offset the same
     * @param broker who stored it, {@code -} when that is not known
     * @param position its place in the log there, {@link #NONE} when that is not known
     */
    record Send(
            int sender,
            long number,
            String outcome,
            int queue,
            long offset,
            long beginUs,
            long endUs,
            String broker,
            long position)
            implements Operation {
        /** Whether the sender was promised that the message is kept. */
        public boolean isAcknowledged() {
            return outcome.equals("SEND_OK");
        }

        /** The message as {@link Operation#idOf} numbers it. */
        public long id() {
            return idOf(sender, number);
        }
    }

    /** A message came to the group. */
    record Receive(int queue, long offset, long id, long atUs) implements Operation {}

    /** The group asked the broker to remember an offset. */
    record Commit(int queue, long offset, boolean isAnswered, long beginUs, long endUs) implements Operation {}

    /** The broker told which offset it remembers; {@link #NONE} for none. */
    record Query(int queue, long offset, long beginUs, long endUs) implements Operation {}

    /** The broker told where a queue ends. */
    record End(int queue, long offset, long beginUs, long endUs) implements Operation {}

    /** A member of a group said who leads a term. */
    record Led(String by, long term, String leader, long atUs) implements Operation {}

    /** A message that was there when all was over. */
    record Stored(int queue, long offset, long id) implements Operation {}

    /** One number for each message of each sender. */
    static long idOf(int sender, long number) {
        return ((long) sender << SENDER_BIT) | number;
    }

    /** How a message is called in texts. */
    static String nameOf(long id) {
        return id == DAMAGED ? "DAMAGED" : (id >> SENDER_BIT) + "-" + (id & ((1L << SENDER_BIT) - 1));
    }

    /** Reads one line; throws IllegalArgumentException when it is none. */
    static Operation parse(String line) {
        String[] words = line.split(" ");
        try {
            return switch (words[0]) {
                case "send" ->
                    new Send(
                            Integer.parseInt(words[1]),
                            Long.parseLong(words[2]),
                            words[3],
                            Integer.parseInt(words[4]),
                            Long.parseLong(words[5]),
                            Long.parseLong(words[6]),
                            Long.parseLong(words[7]),
                            words.length > 8 ? words[8] : "-",
                            words.length > 8 ? Long.parseLong(words[9]) : NONE);
                case "receive" ->
                    new Receive(
                            Integer.parseInt(words[1]),
                            Long.parseLong(words[2]),
                            id(words[3]),
                            Long.parseLong(words[4]));
                case "commit" ->
                    new Commit(
                            Integer.parseInt(words[1]),
                            Long.parseLong(words[2]),
                            words[3].equals("OK"),
                            Long.parseLong(words[4]),
                            Long.parseLong(words[5]));
                case "query" ->
                    new Query(
                            Integer.parseInt(words[1]),
                            Long.parseLong(words[2]),
                            Long.parseLong(words[3]),
                            Long.parseLong(words[4]));
                case "end" ->
                    new End(
                            Integer.parseInt(words[1]),
                            Long.parseLong(words[2]),
                            Long.parseLong(words[3]),
                            Long.parseLong(words[4]));
                case "stored" -> new Stored(Integer.parseInt(words[1]), Long.parseLong(words[2]), id(words[3]));
                default -> throw new IllegalArgumentException("no such operation");
            };
        } catch (RuntimeException e) {
            throw new IllegalArgumentException("not a line of a history: " + line, e);
        }
    }

    private static long id(String word) {
        int dash = word.indexOf('-');
        return dash < 0
                ? DAMAGED
                : idOf(Integer.parseInt(word.substring(0, dash)), Long.parseLong(word.substring(dash + 1)));
    }
}
