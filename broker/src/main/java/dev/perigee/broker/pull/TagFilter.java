package dev.perigee.broker.pull;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Collection;

/** Which tag hashes a reader wants. The client compares the texts again, so equal hashes of other tags do no harm. */
@Immutable
final class TagFilter {
    /** Wants everything. */
    static final TagFilter ALL = new TagFilter(new long[0]);

    private final long[] hashes;

    private TagFilter(long[] hashes) {
        this.hashes = hashes;
    }

    /** The filter of a TAG subscription; no tag means everything. */
    static TagFilter of(SubscriptionData subscription) {
        return subscription.tagsSet().isEmpty() ? ALL : of(subscription.codeSet());
    }

    /** The filter of a TAG expression in a header. */
    static TagFilter ofExpression(String topic, String expression) {
        return of(SubscriptionData.ofTags(topic, expression, 0));
    }

    static TagFilter of(Collection<Integer> codes) {
        return codes.isEmpty()
                ? ALL
                : new TagFilter(codes.stream().mapToLong(Integer::longValue).toArray());
    }

    long sizeBytes() {
        return (long) Long.BYTES * hashes.length;
    }

    boolean takesAll() {
        return hashes.length == 0;
    }

    boolean takes(long tagHash) {
        if (hashes.length == 0) {
            return true;
        }
        for (long hash : hashes) {
            if (hash == tagHash) {
                return true;
            }
        }
        return false;
    }
}
