package dev.perigee.broker.client;

import dev.perigee.loop.ThreadSafe;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** The memory that the subscriptions of all connected consumer groups may take together. */
@ThreadSafe
final class SubscriptionBudget {
    /** Unless set otherwise. */
    static final long MAX_BYTES = 128L << 20;

    /** Of a subscription, a tag and a code, beside the characters. */
    private static final int SUBSCRIPTION_BYTES = 256;

    private static final int TAG_BYTES = 96;
    private static final int CODE_BYTES = 48;

    private final AtomicLong takenBytes = new AtomicLong();
    private final long maxBytes;

    SubscriptionBudget(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    long maxBytes() {
        return maxBytes;
    }

    long takenBytes() {
        return takenBytes.get();
    }

    /** A group's subscriptions are replaced; false, and nothing changes, when the new ones take more and that is too much. */
    boolean replace(Map<String, SubscriptionData> before, Map<String, SubscriptionData> after) {
        long more = sizeBytes(after) - sizeBytes(before);
        if (takenBytes.addAndGet(more) > maxBytes && more > 0) {
            takenBytes.addAndGet(-more);
            return false;
        }
        return true;
    }

    /** What subscriptions take, about. */
    static long sizeBytes(Map<String, SubscriptionData> subscriptions) {
        long bytes = 0;
        for (SubscriptionData subscription : subscriptions.values()) {
            long characters = subscription.topic().length()
                    + (long) subscription.subString().length()
                    + subscription.expressionType().length();
            for (String tag : subscription.tagsSet()) {
                characters += tag == null ? 0 : tag.length();
            }
            bytes += SUBSCRIPTION_BYTES
                    + Character.BYTES * characters
                    + (long) TAG_BYTES * subscription.tagsSet().size()
                    + (long) CODE_BYTES * subscription.codeSet().size();
        }
        return bytes;
    }
}
