package dev.perigee.bench.load;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What to do for how long.
 *
 * @param mode create, fill, sync, async, batch, backlog, endtoend or probe
 * @param servers the address to bootstrap from
 * @param topic topic, or with {@code topics} above 1 the prefix of the topics
 * @param topics how many topics are used in turn
 * @param queues queues of each topic for create
 * @param threads sending threads
 * @param sizeBytes body size
 * @param batchCount messages per batch
 * @param inFlight limit of unanswered asynchronous sends of each thread; at the limit the thread waits
 * @param warmupMs time before the first mark
 * @param windowMs time between the two marks
 * @param firstMessageMs how long a consumer may take to get its first message before endtoend gives up
 * @param ratePerSecond messages per second for endtoend, and of all threads together for paced; there at least one for each thread
 * @param sendTimeoutMs deadline of one send
 * @param routePollMs how often the client looks routes up; 0 for its default
 * @param everyMs time between the sends of probe
 * @param count messages to store for fill, messages in the backlog for backlog
 */
public record LoadPlan(
        String mode,
        String servers,
        String topic,
        int topics,
        int queues,
        int threads,
        int sizeBytes,
        int batchCount,
        int inFlight,
        long warmupMs,
        long windowMs,
        long firstMessageMs,
        int ratePerSecond,
        int sendTimeoutMs,
        int routePollMs,
        int everyMs,
        long count) {
    /** Reads {@code key=value} words. */
    public static LoadPlan of(String[] args) {
        Map<String, String> words = new HashMap<>();
        for (String arg : args) {
            int at = arg.indexOf('=');
            if (at <= 0) {
                throw new IllegalArgumentException("not key=value: " + arg);
            }
            words.put(arg.substring(0, at).toLowerCase(Locale.ROOT), arg.substring(at + 1));
        }
        return new LoadPlan(
                words.getOrDefault("mode", "sync"),
                words.getOrDefault("servers", "127.0.0.1:9876"),
                words.getOrDefault("topic", "bench"),
                number(words, "topics", 1),
                number(words, "queues", 4),
                number(words, "threads", 1),
                number(words, "sizebytes", 1024),
                number(words, "batchcount", 32),
                number(words, "inflight", 1000),
                number(words, "warmupms", 20_000),
                number(words, "windowms", 20_000),
                number(words, "firstmessagems", 90_000),
                number(words, "rate", 2_000),
                number(words, "sendtimeoutms", 10_000),
                number(words, "routepollms", 0),
                number(words, "everyms", 10),
                number(words, "count", 1_000_000));
    }

    /** The topic that message number {@code index} goes to. */
    public String topicAt(long index) {
        return topics == 1 ? topic : topic + "_" + (index % topics);
    }

    private static int number(Map<String, String> words, String key, int otherwise) {
        String text = words.get(key);
        return text == null ? otherwise : Integer.parseInt(text);
    }
}
