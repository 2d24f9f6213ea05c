package dev.perigee.cli.message;

import dev.perigee.cli.output.Harmless;
import dev.perigee.cli.output.Printer;
import dev.perigee.protocol.message.MessageExt;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A message as a line for a person and as an object for a program. Pure. */
public final class MessageText {
    private static final int SHOWN_BYTES = 16;

    private MessageText() {}

    /** Prints messages: a line each, or all as one array. */
    static void print(Printer printer, List<MessageExt> messages) {
        if (printer.isJson()) {
            printer.json(messages.stream().map(MessageText::members).toList());
        } else {
            messages.forEach(message -> printer.line(line(message)));
        }
    }

    /** Time, place, tag, keys and body on one line. */
    public static String line(MessageExt message) {
        StringBuilder line = new StringBuilder();
        line.append(Instant.ofEpochMilli(message.storeTimestampMs()))
                .append("  ")
                .append(place(message))
                .append("  ");
        if (message.tag() != null) {
            line.append("tag=").append(Harmless.part(message.tag())).append("  ");
        }
        if (!message.keys().isEmpty()) {
            line.append("keys=")
                    .append(Harmless.part(String.join(",", message.keys())))
                    .append("  ");
        }
        return line.append(message.isCompressed() ? "still compressed, " + bytes(message.body()) : shownBody(message))
                .toString();
    }

    /**
     * Everything about a message by name, its body inflated where that was possible, as {@code sysFlag} tells; a body that is no
     * UTF-8 stands under {@code bodyBase64}.
     */
    public static Map<String, @Nullable Object> members(MessageExt message) {
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("topic", message.topic());
        members.put("broker", message.brokerName());
        members.put("queue", message.queueId());
        members.put("offset", message.queueOffset());
        members.put("messageId", message.messageId());
        members.put("offsetMessageId", message.offsetMessageId());
        members.put("tag", message.tag());
        members.put("keys", message.keys());
        members.put("flag", message.flag());
        members.put("stored", Instant.ofEpochMilli(message.storeTimestampMs()).toString());
        members.put("born", Instant.ofEpochMilli(message.bornTimestampMs()).toString());
        members.put("bornHost", address(message.bornHost()));
        members.put("storeHost", address(message.storeHost()));
        members.put("physicalOffset", message.physicalOffset());
        members.put("storeSize", message.storeSizeBytes());
        members.put("bodyCrc", message.bodyCrc());
        members.put("sysFlag", message.sysFlag());
        members.put("preparedTransactionOffset", message.preparedTransactionOffset());
        members.put("reconsumeTimes", message.reconsumeTimes());
        members.put("properties", new TreeMap<>(message.properties()));
        putBody(members, message.body());
        return members;
    }

    /** Adds a body as it is: as {@code body} when it is UTF-8, else as {@code bodyBase64}. */
    public static void putBody(Map<String, @Nullable Object> members, byte[] body) {
        Optional<String> text = utf8(body);
        if (text.isPresent()) {
            members.put("body", text.get());
        } else {
            members.put("bodyBase64", Base64.getEncoder().encodeToString(body));
        }
    }

    /** {@code host:port} as numbers; no name is looked up. */
    public static String address(InetSocketAddress host) {
        InetAddress number = host.getAddress();
        return (number == null ? host.getHostString() : number.getHostAddress()) + ":" + host.getPort();
    }

    private static String place(MessageExt message) {
        return message.brokerName() + ":" + message.queueId() + "@" + message.queueOffset();
    }

    private static String shownBody(MessageExt message) {
        return utf8(message.body()).map(Harmless::lines).orElseGet(() -> bytes(message.body()));
    }

    private static String bytes(byte[] body) {
        return body.length + " bytes, base64 of the first " + SHOWN_BYTES + ": "
                + Base64.getEncoder().encodeToString(Arrays.copyOf(body, Math.min(SHOWN_BYTES, body.length)));
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
