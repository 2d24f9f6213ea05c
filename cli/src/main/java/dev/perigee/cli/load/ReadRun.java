package dev.perigee.cli.load;

import dev.perigee.cli.output.Progress;
import dev.perigee.client.admin.AdminClient;
import dev.perigee.client.error.ClientException;
import dev.perigee.client.pull.PullConsumer;
import dev.perigee.client.pull.PullConsumerBuilder;
import dev.perigee.client.queue.Pulled;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.message.MessageQueue;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Reads what a topic got since a moment, queue after queue, and measures the rate. */
@OwnedBy("command thread")
public final class ReadRun {
    private static final String GROUP = "TOOLS_CONSUMER";
    private static final int BATCH = 256;

    /** Ends the run when nothing more comes for so long. */
    private static final long PATIENCE_MS = 5_000;

    private final Map<MessageQueue, Long> positions;

    private ReadRun(Map<MessageQueue, Long> positions) {
        this.positions = positions;
    }

    /** Remembers where the queues end now. */
    public static ReadRun fromTheEnd(AdminClient admin, String topic) throws ClientException {
        Map<MessageQueue, Long> positions = new TreeMap<>();
        for (MessageQueue queue : admin.topics().queues(topic)) {
            positions.put(queue, admin.topics().maxOffset(queue));
        }
        return new ReadRun(positions);
    }

    /**
     * What became of it.
     *
     * @param messages messages read
     * @param elapsedMs from the first pull to the last message
     */
    public record Outcome(long messages, long elapsedMs) {
        private double perSecond() {
            return messages * 1_000.0 / Math.max(1, elapsedMs);
        }

        /** As an object for programs. */
        public Map<String, Object> members() {
            Map<String, Object> members = new LinkedHashMap<>();
            members.put("read", messages);
            members.put("elapsedMs", elapsedMs);
            members.put("perSecond", Math.round(perSecond()));
            return members;
        }

        /** As a sentence for people. */
        public String summary() {
            return String.format(
                    Locale.ROOT, "%,d messages in %.2f s, %,.0f/s", messages, elapsedMs / 1_000.0, perSecond());
        }
    }

    /**
     * Reads until the expected number has come or nothing more comes; blocks.
     *
     * @param connecting knows where the servers are
     */
    public Outcome run(PullConsumerBuilder connecting, long expected, Progress progress) throws ClientException {
        try (PullConsumer reader = connecting.group(GROUP).autoCommitMs(0).build()) {
            reader.start();
            long startMs = now();
            long lastMs = startMs;
            long read = 0;
            while (read < expected && now() - lastMs < PATIENCE_MS) {
                for (Map.Entry<MessageQueue, Long> entry : positions.entrySet()) {
                    Pulled pulled = reader.pull(entry.getKey(), "*", entry.getValue(), BATCH);
                    entry.setValue(pulled.nextOffset());
                    if (!pulled.messages().isEmpty()) {
                        read += pulled.messages().size();
                        progress.add(pulled.messages().size());
                        lastMs = now();
                    }
                }
            }
            return new Outcome(read, lastMs - startMs);
        }
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }
}
