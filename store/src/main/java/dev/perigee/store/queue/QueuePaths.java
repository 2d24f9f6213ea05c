package dev.perigee.store.queue;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** Where the files of a queue lie. A topic that is no plain name gets a folder that spells its bytes. */
final class QueuePaths {
    static final String ROOT = "consumequeue";

    private static final Pattern PLAIN = Pattern.compile("[%|a-zA-Z0-9_-]{1,255}");
    private static final String SPELLED = "~";

    private QueuePaths() {}

    static String topicFolder(String topic) {
        return ROOT + "/"
                + (PLAIN.matcher(topic).matches()
                        ? topic
                        : SPELLED + HexFormat.of().formatHex(topic.getBytes(StandardCharsets.UTF_8)));
    }

    static String queueFolder(String topic, int queueId) {
        return topicFolder(topic) + "/" + queueId;
    }
}
