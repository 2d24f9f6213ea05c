package dev.perigee.broker.timer;

/** By what a waiting message is found again when it is to be recalled: 64 bits made of all that its handle says. */
public final class RecallHash {
    /** Of a message that cannot be recalled. */
    public static final long NONE = 0;

    private static final long SEED = 0xCBF29CE484222325L;
    private static final long PRIME = 0x100000001B3L;

    private RecallHash() {}

    /**
     * The hash, never {@link #NONE}. Two messages may have the same, so whoever finds one by it looks at the message too.
     *
     * @param topic the topic it is for
     * @param wallMs when it is due, as its producer was told
     */
    public static long of(String topic, String uniqueKey, long wallMs) {
        long hash = add(add(SEED, topic) * PRIME, uniqueKey) * PRIME;
        hash = (hash ^ wallMs) * PRIME;
        hash = (hash ^ hash >>> 32) * PRIME;
        return hash == NONE ? 1 : hash;
    }

    /** FNV-1a over the characters. */
    private static long add(long hash, String text) {
        long sum = hash;
        for (int i = 0; i < text.length(); i++) {
            sum = (sum ^ text.charAt(i)) * PRIME;
        }
        return sum;
    }
}
