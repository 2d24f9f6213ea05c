package dev.perigee.client.producer;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.message.CompressionType;

/**
 * The settings of a producer.
 *
 * @param group the producer group
 * @param sendTimeoutMs deadline of a whole send, all tries and waiting for memory included
 * @param maxTries tries of one send, the first included
 * @param newTopicQueues queues a broker of a topic created by a send
 * @param maxMessageBytes largest body
 * @param batching automatic batches
 * @param compression of bodies
 * @param bufferBytes memory for messages on their way
 * @param bufferMessages how many messages may be on their way
 * @param whenFull what a send does when one of these two limits is reached
 */
@Immutable
public record ProducerConfig(
        String group,
        long sendTimeoutMs,
        int maxTries,
        int newTopicQueues,
        int maxMessageBytes,
        Batching batching,
        Compression compression,
        long bufferBytes,
        int bufferMessages,
        WhenFull whenFull) {
    /** Deadline of a whole send. */
    public static final long DEFAULT_SEND_TIMEOUT_MS = 3_000;
    /** Tries of one send. */
    public static final int DEFAULT_MAX_TRIES = 3;
    /** Queues a broker of a topic created by a send. */
    public static final int DEFAULT_NEW_TOPIC_QUEUES = 4;
    /** Largest body, and largest encoded batch: 4 MiB. */
    public static final int DEFAULT_MAX_MESSAGE_BYTES = 4 << 20;
    /** Memory for messages on their way: 64 MiB. */
    public static final long DEFAULT_BUFFER_BYTES = 64L << 20;
    /** Messages on their way: 131,072. It binds before the memory when messages are shorter than half a KiB. */
    public static final int DEFAULT_BUFFER_MESSAGES = 1 << 17;

    /**
     * Automatic batches of asynchronous sends. A batch that is not full goes as soon as nothing of its lane is under way;
     * a full one goes at once, while no more than {@code maxInFlight} are. There is no linger.
     *
     * @param enabled false sends every message by itself
     * @param maxBytes encoded size at which a batch is full
     * @param maxMessages number of messages at which a batch is full
     * @param maxInFlight batches of one topic under way, queues chosen by the producer; a chosen queue has always one
     */
    @Immutable
    public record Batching(boolean enabled, int maxBytes, int maxMessages, int maxInFlight) {
        /** 128 KiB, 1,024 messages, 16 under way. */
        public static final Batching DEFAULT = new Batching(true, 128 << 10, 1_024, 16);
        /** Every message by itself. */
        public static final Batching OFF = new Batching(false, 128 << 10, 1_024, 16);

        public Batching {
            requirePositive("batching.maxBytes", maxBytes);
            requirePositive("batching.maxMessages", maxMessages);
            requirePositive("batching.maxInFlight", maxInFlight);
        }
    }

    /**
     * Compression of bodies; a compressed message is not batched.
     *
     * @param type the codec
     * @param level 1 to 9
     * @param fromBytes bodies this long and longer are compressed, when that makes them smaller; {@link
     *     Integer#MAX_VALUE} for never
     */
    @Immutable
    public record Compression(CompressionType type, int level, int fromBytes) {
        /** zlib at level 5 for bodies from 4 KiB. */
        public static final Compression DEFAULT = new Compression(CompressionType.ZLIB, 5, 4_096);
        /** Never. */
        public static final Compression OFF = new Compression(CompressionType.ZLIB, 5, Integer.MAX_VALUE);

        public Compression {
            requirePositive("compression.fromBytes", fromBytes);
            if (level < 1 || level > 9) {
                throw new IllegalArgumentException("compression.level=" + level + ", must be 1 to 9");
            }
        }
    }

    public ProducerConfig {
        requirePositive("sendTimeoutMs", sendTimeoutMs);
        requirePositive("maxTries", maxTries);
        requirePositive("newTopicQueues", newTopicQueues);
        requirePositive("maxMessageBytes", maxMessageBytes);
        requirePositive("bufferBytes", bufferBytes);
        requirePositive("bufferMessages", bufferMessages);
    }

    private static void requirePositive(String name, long value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + "=" + value + ", must be above 0");
        }
    }
}
