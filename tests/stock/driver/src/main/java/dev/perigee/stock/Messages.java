package dev.perigee.stock;

import com.alibaba.fastjson.JSONObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;

/** Builds the messages of a send order; {@code {i}} in body, tags, keys and property values becomes the message's index. */
final class Messages {
    private static final byte[] PATTERN = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private Messages() {}

    static List<Message> of(Request request) {
        List<Message> messages = new ArrayList<>();
        int count = request.number("count", 1);
        for (int i = 0; i < count; i++) {
            messages.add(message(request, i));
        }
        return messages;
    }

    private static Message message(Request request, int index) {
        Message message = new Message(request.text("topic"), body(request, index));
        if (request.has("tags")) {
            message.setTags(numbered(request.text("tags"), index));
        }
        if (request.has("keys")) {
            message.setKeys(numbered(request.text("keys"), index));
        }
        if (request.has("delayLevel")) {
            message.setDelayTimeLevel(request.number("delayLevel", 0));
        }
        if (request.has("waitStore")) {
            message.setWaitStoreMsgOK(request.flag("waitStore"));
        }
        message.setFlag(request.number("flag", 0));
        properties(request.object("properties"), message, index);
        properties(request.object("systemProperties"), message, index);
        return message;
    }

    /** The client refuses reserved names in putUserProperty; the script may still want them, so they go in past it. */
    private static void properties(JSONObject wanted, Message message, int index) {
        for (Map.Entry<String, Object> property : wanted.entrySet()) {
            MessageAccessor.putProperty(
                    message, property.getKey(), numbered(String.valueOf(property.getValue()), index));
        }
    }

    static byte[] body(Request request, int index) {
        if (!request.has("bodySize")) {
            return numbered(request.text("body", "message {i}"), index).getBytes(StandardCharsets.UTF_8);
        }
        byte[] body = new byte[request.number("bodySize", 0)];
        if (request.flag("random")) {
            new Random(request.big("seed", 0) + index).nextBytes(body);
        } else {
            for (int i = 0; i < body.length; i++) {
                body[i] = PATTERN[i % PATTERN.length];
            }
        }
        return body;
    }

    private static String numbered(String text, int index) {
        return text.replace("{i}", Integer.toString(index));
    }
}
