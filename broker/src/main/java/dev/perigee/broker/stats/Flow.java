package dev.perigee.broker.stats;

import dev.perigee.loop.ThreadSafe;

/** Messages and bytes that went one way. */
@ThreadSafe
public final class Flow {
    private final Meter messages = new Meter();
    private final Meter bytes = new Meter();

    Flow() {}

    void add(int messageCount, long sizeBytes) {
        messages.add(messageCount);
        bytes.add(sizeBytes);
    }

    void sample() {
        messages.sample();
        bytes.sample();
    }

    /** How many messages. */
    public Meter messages() {
        return messages;
    }

    /** How many bytes, as stored. */
    public Meter bytes() {
        return bytes;
    }
}
