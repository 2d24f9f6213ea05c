package dev.perigee.client.query;

import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.query.QueryLimits;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What to ask one broker next, and what came of it. A broker gives the newest messages up to some number and size, which it does
 * not tell; so it is asked again, up to the oldest store time it gave, until nothing comes that was not there before.
 *
 * <p>Stock brokers know store times in whole seconds only: they give again whatever shares the second of the oldest one. When
 * that is all they give, the next question goes before the oldest message, and the one after before its second. What a page that
 * repeats had no room for cannot be asked for: then the broker may hold more.
 */
@OwnedBy("asking thread")
final class KeyPages {
    /** No broker is known to give fewer messages than this because there are too many. */
    private static final int SMALLEST_FULL_MESSAGES = 8;

    private static final long INDEX_STEP_MS = 1_000;
    /** Pages without anything new before a broker is taken for one that does not heed the time it is asked for. */
    private static final int MAX_REPEATS = 3;

    private final KeyQuery query;
    private final List<MessageExt> matches = new ArrayList<>();
    /** Where everything lies that was given, matching or not. */
    private final Set<Long> seen = new HashSet<>();

    private long endMs;
    private int repeats;
    private int largestPage;
    private long cutAtMs = -1;
    private boolean isDone;

    KeyPages(KeyQuery query) {
        this.query = query;
        this.endMs = query.endMs();
    }

    /** The next question. */
    QueryMessageHeader ask() {
        int wanted = seen.isEmpty() ? Math.min(QueryLimits.MAX_MESSAGES, query.max()) : QueryLimits.MAX_MESSAGES;
        return new QueryMessageHeader(
                query.topic(), query.key(), wanted, earliestMs(), endMs, query.isUnique(), null, null);
    }

    /** A broker that counts whole seconds takes the message for up to one older than it is. */
    private long earliestMs() {
        return Math.max(0, query.beginMs() - INDEX_STEP_MS);
    }

    /** Takes the answer to the last question, in any order. */
    void take(List<MessageExt> page) {
        if (page.isEmpty()) {
            isDone = true;
            return;
        }
        boolean hasFresh = false;
        long oldestMs = Long.MAX_VALUE;
        for (MessageExt message : page) {
            oldestMs = Math.min(oldestMs, message.storeTimestampMs());
            if (seen.add(message.physicalOffset())) {
                hasFresh = true;
                if (query.matches(message)) {
                    matches.add(message);
                }
            }
        }
        if (hasFresh) {
            repeats = 0;
            endMs = Math.min(endMs, oldestMs);
        } else {
            repeated(page, oldestMs);
        }
        largestPage = Math.max(largestPage, page.size());
        isDone |= matches.size() >= query.max() || endMs < earliestMs();
    }

    private void repeated(List<MessageExt> page, long oldestMs) {
        repeats++;
        boolean isFull = isFull(page);
        if (isFull) {
            cutAtMs = oldestMs;
        }
        // A page that could have been longer, as an earlier one was, is all that lies below its time.
        isDone = repeats == MAX_REPEATS || (!isFull && page.size() < largestPage);
        endMs = Math.min(endMs - 1, repeats == 1 ? oldestMs - 1 : oldestMs - INDEX_STEP_MS);
    }

    /** Whether there may have been no room for more. */
    private boolean isFull(List<MessageExt> page) {
        long sizeBytes = page.stream().mapToLong(MessageExt::storeSizeBytes).sum();
        return (page.size() >= SMALLEST_FULL_MESSAGES && page.size() >= largestPage)
                || (page.size() > 1 && sizeBytes >= QueryLimits.SMALLEST_FULL_BYTES);
    }

    /** Whether nothing is left to ask. */
    boolean isDone() {
        return isDone;
    }

    /** Everything that matches so far; the last page may have brought more than was asked for. */
    List<MessageExt> matches() {
        return matches;
    }

    /** Whether more may lie there than the broker would give, although not as many as wanted were found. */
    boolean mayHoldMore() {
        return cutAtMs >= 0 && matches.size() < query.max();
    }

    /** The store time of which it may hold more. */
    long cutAtMs() {
        return cutAtMs;
    }
}
