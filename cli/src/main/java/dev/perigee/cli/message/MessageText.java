package dev.perigee.cli.message;

import dev.perigee.protocol.message.MessageExt;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A message as a line for a person and as an object for a program. Pure. */
public final class MessageText {
    private static final int SHOWN_BYTES = 16;

    private MessageText() {}

    /** Time, place, tag, keys and body on one line. */
    public static String line(MessageExt message) {
        StringBuilder line = new StringBuilder();
        line.append(Instant.ofEpochMilli(message.storeTimestampMs()))
                .append("  ")
                .append(place(message))
                .append("  ");
        if (message.tag() != null) {
            line.append("tag=").append(message.tag()).append("  ");
        }
        if (!message.keys().isEmpty()) {
            line.append("keys=").append(String.join(",", message.keys())).append("  ");
        }
        return line.append(shownBody(message.body())).toString();
    }

    /** Everything about a message by name; a body that is no UTF-8 stands under {@code bodyBase64}. */
    public static Map<String, Object> members(MessageExt message) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("topic", message.topic());
        members.put("broker", message.brokerName());
        members.put("queue", message.queueId());
        members.put("offset", message.queueOffset());
        members.put("messageId", message.messageId());
        members.put("offsetMessageId", message.offsetMessageId());
        members.put("stored", Instant.ofEpochMilli(message.storeTimestampMs()).toString());
        members.put("born", Instant.ofEpochMilli(message.bornTimestampMs()).toString());
        members.put("reconsumeTimes", message.reconsumeTimes());
        members.put("properties", new TreeMap<>(message.properties()));
        Optional<String> text = utf8(message.body());
        if (text.isPresent()) {
            members.put("body", text.get());
        } else {
            members.put("bodyBase64", Base64.getEncoder().encodeToString(message.body()));
        }
        return members;
    }

    private static String place(MessageExt message) {
        return message.brokerName() + ":" + message.queueId() + "@" + message.queueOffset();
    }

    private static String shownBody(byte[] body) {
        return utf8(body)
                .map(MessageText::printable)
                .orElseGet(() -> body.length + " bytes, base64 of the first "
                        + SHOWN_BYTES + ": "
                        + Base64.getEncoder()
                                .encodeToString(java.util.Arrays.copyOf(body, Math.min(SHOWN_BYTES, body.length))));
    }

    /** Control characters could move the cursor of a terminal: they are shown as dots. Line ends and tabs stay. */
    private static String printable(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints()
                .forEach(point -> shown.appendCodePoint(
                        Character.isISOControl(point) && point != '\n' && point != '\t' ? '.' : point));
        return shown.toString();
    }

    private static Optional<String> utf8(byte[] body) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
