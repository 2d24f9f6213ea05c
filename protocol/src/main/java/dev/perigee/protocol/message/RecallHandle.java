package dev.perigee.protocol.message;

import dev.perigee.loop.Immutable;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Names one message that waits for its time, so that it can be taken back (broker-client §5.4). As text it is URL-safe
 * Base64, with padding, of {@code v1 <topic> <brokerName> <timeMs> <uniqueKey>}, with one blank between two words.
 *
 * @param topic the topic the message is for
 * @param brokerName the broker at which it waits
 * @param timeMs one more than the wall time, in milliseconds, at which it is due; above 0
 * @param uniqueKey the message's unique key
 */
@Immutable
public record RecallHandle(String topic, String brokerName, long timeMs, String uniqueKey) {
    private static final String VERSION = "v1";
    private static final int WORDS = 5;

    /** A message's properties, of which the key is one, are no longer. */
    private static final int MAX_KEY_BYTES = 32_767;

    /** What the other words and the blanks can take, names of 255 bytes. */
    private static final int MAX_OTHER_BYTES = 2 + 2 * 255 + 19 + 4;

    /** Longest text that is looked at: four characters for three bytes. */
    private static final int MAX_TEXT_LENGTH = (MAX_KEY_BYTES + MAX_OTHER_BYTES + 2) / 3 * 4;

    /** Whether a message with this key can be named: no word may be empty or hold a blank. */
    public static boolean canName(String uniqueKey) {
        return !uniqueKey.isEmpty() && uniqueKey.indexOf(' ') < 0;
    }

    /** The handle as text. */
    public String text() {
        String words = String.join(" ", VERSION, topic, brokerName, Long.toString(timeMs), uniqueKey);
        return Base64.getUrlEncoder().encodeToString(words.getBytes(StandardCharsets.UTF_8));
    }

    /** The handle in a text; null when it is none. */
    public static @Nullable RecallHandle parse(String text) {
        if (text.length() > MAX_TEXT_LENGTH) {
            return null;
        }
        try {
            String[] words = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8).split(" ", -1);
            boolean whole = words.length == WORDS && words[0].equals(VERSION) && canName(words[4]);
            long timeMs = whole ? Long.parseLong(words[3]) : 0;
            return timeMs > 0 ? new RecallHandle(words[1], words[2], timeMs, words[4]) : null;
        } catch (IllegalArgumentException e) { // no Base64, or a time that is no number
            return null;
        }
    }
}
