package dev.perigee.store.queue;

/** Spells a queue out for comparisons: where it begins and ends, and every message in it. */
final class QueueDump {
    private static final int ENTRIES_PER_READ = 4096;

    private QueueDump() {}

    static void describe(ConsumeQueue queue, StringBuilder text) {
        long max = queue.maxOffset();
        text.append(queue)
                .append(" [")
                .append(queue.minOffset())
                .append(", ")
                .append(max)
                .append(")\n");
        for (long at = queue.minOffset(); at < max; ) {
            int examined = queue.read(at, ENTRIES_PER_READ, (queueOffset, physicalOffset, sizeBytes, tagHash) -> {
                text.append("  ").append(queueOffset).append(" at ").append(physicalOffset);
                text.append(" size ")
                        .append(sizeBytes)
                        .append(" tag ")
                        .append(tagHash)
                        .append('\n');
                return true;
            });
            if (examined == 0) {
                throw new IllegalStateException("queue " + queue + " cannot be read at " + at);
            }
            at += examined;
        }
    }
}
