package dev.perigee.stock.history;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Bodies that tell who sent them as which of his messages; the rest of a body follows from that, so that damage shows. */
final class Numbered {
    private static final int LONGEST_FILL = 700;
    private static final int PRIME = 31;

    private Numbered() {}

    /** {@code SENDER-NUMBER:} and a fill whose length differs from one message to the next. */
    static byte[] body(int sender, long number) {
        byte[] head = (sender + "-" + number + ":").getBytes(StandardCharsets.US_ASCII);
        byte[] body = Arrays.copyOf(head, head.length + (int) ((number * PRIME + sender) % LONGEST_FILL));
        Arrays.fill(body, head.length, body.length, (byte) ('a' + number % 26));
        return body;
    }

    /** {@code SENDER-NUMBER} of a body, or {@code DAMAGED} when it is not exactly what {@link #body} makes. */
    static String idOf(byte[] body) {
        String text = new String(body, StandardCharsets.US_ASCII);
        int dash = text.indexOf('-');
        int colon = text.indexOf(':');
        try {
            if (dash > 0 && colon > dash) {
                int sender = Integer.parseInt(text.substring(0, dash));
                long number = Long.parseLong(text.substring(dash + 1, colon));
                if (Arrays.equals(body, body(sender, number))) {
                    return text.substring(0, colon);
                }
            }
        } catch (NumberFormatException e) {
            return HistoryFile.DAMAGED;
        }
        return HistoryFile.DAMAGED;
    }
}
