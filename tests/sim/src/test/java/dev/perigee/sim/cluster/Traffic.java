package dev.perigee.sim.cluster;

/**
 * All frames that clients sent and were sent, as one number: two runs that have the same one have exchanged frames of the same
 * kinds and sizes at the same times in the same order. What is in the frames does not count, for ids of messages name the process.
 */
final class Traffic {
    /** Length, serialization, code, language, version, opaque and flag of a frame. */
    private static final int HEAD_BYTES = 21;

    private static final long PRIME = 1_099_511_628_211L;

    private final TurnedClock clock;
    private long frames;
    private long sum;
    private int links;

    Traffic(TurnedClock clock) {
        this.clock = clock;
    }

    /** The number of one more connection. */
    int newLink() {
        return links++;
    }

    /** One more frame. */
    void note(int link, byte[] frame, int headBytes, int frameBytes) {
        frames++;
        add(clock.sinceStartMs());
        add(link);
        add(frameBytes);
        for (int i = 0; i < Math.min(HEAD_BYTES, headBytes); i++) {
            add(frame[i]);
        }
    }

    private void add(long value) {
        sum = (sum ^ value) * PRIME;
    }

    @Override
    public String toString() {
        return frames + " frames " + Long.toHexString(sum);
    }
}
