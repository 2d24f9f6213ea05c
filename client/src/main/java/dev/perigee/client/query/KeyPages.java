package dev.perigee.client.query;

import dev.perigee.client.codec.MessageReader;
import dev.perigee.loop.OwnedBy;
import dev.perigee.protocol.header.query.QueryLimits;
import dev.perigee.protocol.header.query.QueryMessageHeader;
import dev.perigee.protocol.message.MessageExt;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What to ask one broker next, and what came of it. A broker gives the newest messages up to some number and size, which it does
 * not tell; so it is asked again, up to the oldest store time it gave, until nothing comes that was not there before.
 *
 * <p>Stock brokers know store times in whole seconds only: they give again whatever shares the second of the oldest one. When
 * that is all they give, the next question goes before the oldest message, and the one after before its second. What shares the
 * time of a page that repeats, and had no room in it, cannot be asked for: then the broker may hold more.
 */
@OwnedBy("asking thread")
final class KeyPages {
    private static final Comparator<MessageExt> NEWEST_FIRST = Comparator.comparingLong(MessageExt::storeTimestampMs)
            .thenComparingLong(MessageExt::physicalOffset)
            .reversed();
    private static final long INDEX_STEP_MS = 1_000;
    /** Pages without anything new before a broker is taken for one that does not heed the time it is asked for. */
    private static final int MAX_REPEATS = 3;

    private final KeyQuery query;
    private final MessageReader reader;
    private final List<MessageExt> matches = new ArrayList<>();
    /** Where everything lies that was given, matching or not. */
    private final Set<Long> seen = new HashSet<>();

    private long endMs;
    private int repeats;
    private int largestPage;
    private long cutAtMs = -1;
    private boolean lacksRoom;
    private boolean isDone;

    KeyPages(KeyQuery query, MessageReader reader) {
        this.query = query;
        this.reader = reader;
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

    /**
     * Takes the answer to the last question, in any order. It is the last one when more of it matches than there is room for; the
     * newest are kept then.
     *
     * @param page with bodies as they are stored; only those that match are inflated
     * @param roomBytes what the messages that match may have
     * @return what they have
     */
    long take(List<MessageExt> page, long roomBytes) {
        if (page.isEmpty()) {
            isDone = true;
            return 0;
        }
        boolean hasFresh = false;
        long heldBytes = 0;
        long oldestMs = Long.MAX_VALUE;
        for (MessageExt message : newestFirst(page)) {
            oldestMs = Math.min(oldestMs, message.storeTimestampMs());
            if (seen.add(message.physicalOffset())) {
                hasFresh = true;
                if (query.matches(message)) {
                    heldBytes += keep(message, roomBytes - heldBytes);
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
        isDone |= lacksRoom || matches.size() >= query.max() || endMs < earliestMs();
        return heldBytes;
    }

    private static List<MessageExt> newestFirst(List<MessageExt> page) {
        List<MessageExt> sorted = new ArrayList<>(page);
        sorted.sort(NEWEST_FIRST);
        return sorted;
    }

    private long keep(MessageExt message, long roomBytes) {
        if (lacksRoom || matches.size() >= query.max()) {
            return 0;
        }
        MessageExt shown = reader.inflatedOrStored(message);
        long sizeBytes = (long) message.storeSizeBytes() - message.body().length + shown.body().length;
        lacksRoom = sizeBytes > roomBytes;
        if (lacksRoom) {
            return 0;
        }
        matches.add(shown);
        return sizeBytes;
    }

    private void repeated(List<MessageExt> page, long oldestMs) {
        repeats++;
        boolean mayBeCut = mayBeCut(page);
        if (mayBeCut && hidesMoreOfItsTime(page)) {
            cutAtMs = oldestMs;
        }
        // A page that could have been longer, as an earlier one was, is all that lies below its time.
        isDone = repeats == MAX_REPEATS || !mayBeCut;
        endMs = Math.min(endMs - 1, repeats == 1 ? oldestMs - 1 : oldestMs - INDEX_STEP_MS);
    }

    /** Whether there may have been no room for more: then older messages may lie below. */
    private boolean mayBeCut(List<MessageExt> page) {
        return page.size() >= largestPage || isLarge(page);
    }

    private static boolean isLarge(List<MessageExt> page) {
        return page.stream().mapToLong(MessageExt::storeSizeBytes).sum() >= QueryLimits.SMALLEST_FULL_BYTES;
    }

    /**
     * Whether a page that may be cut has to be taken for one that lacks messages of the very time it cannot be asked beyond. A
     * message that is given alone is taken for the only one of its millisecond, however large: what did not fit beside it is older
     * and is asked for next.
     */
    private boolean hidesMoreOfItsTime(List<MessageExt> page) {
        return page.size() >= QueryLimits.SMALLEST_FULL_MESSAGES || (page.size() > 1 && isLarge(page));
    }

    /** Whether nothing is left to ask. */
    boolean isDone() {
        return isDone;
    }

    /** The newest that match so far, no more than wanted. */
    List<MessageExt> matches() {
        return matches;
    }

    /** Whether more may lie there than was taken, although not as many as wanted were found; and why. */
    Optional<Missing> missing(String brokerName) {
        if (lacksRoom) {
            return Optional.of(Missing.lacksRoom(brokerName, query.maxBytes()));
        }
        return cutAtMs >= 0 && matches.size() < query.max()
                ? Optional.of(Missing.mayHoldMore(brokerName, cutAtMs))
                : Optional.empty();
    }
}
