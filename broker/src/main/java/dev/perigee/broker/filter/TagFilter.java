package dev.perigee.broker.filter;

import dev.perigee.loop.Immutable;
import dev.perigee.protocol.group.SubscriptionData;
import java.util.Collection;

/** Which tag hashes a reader wants. The client compares the texts again, so equal hashes of other tags do no harm. */
@Immutable
public final class TagFilter implements MessageFilter {
    /** Wants everything. */
    public static final TagFilter ALL = new TagFilter(new long[0]);

    private final long[] hashes;

    private TagFilter(long[] hashes) {
        this.hashes = hashes;
    }

    /** The filter of a TAG subscription; no tag means everything. */
    static TagFilter of(SubscriptionData subscription) {
        return subscription.tagsSet().isEmpty() ? ALL : of(subscription.codeSet());
    }

    /** The filter of these tag hashes; none means everything. */
    public static TagFilter of(Collection<Integer> codes) {
        return codes.isEmpty()
                ? ALL
                : new TagFilter(codes.stream().mapToLong(Integer::longValue).toArray());
    }

    @Override
    public long sizeBytes() {
        return (long) Long.BYTES * hashes.length;
    }

    @Override
    public boolean takesAll() {
        return hashes.length == 0;
    }

    @Override
    public boolean mayTake(long tagHash) {
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

    @Override
    public boolean needsProperties() {
        return false;
    }

    @Override
    public boolean takes(PropertyLookup properties) {
        return true; // its hash has decided
    }
}
