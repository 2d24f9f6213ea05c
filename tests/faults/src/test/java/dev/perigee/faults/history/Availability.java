package dev.perigee.faults.history;

import dev.perigee.faults.history.Operation.Send;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How long nobody was told that a message is kept. Pure. */
public final class Availability {
    /** A part of a run: from the begin of a fault to the begin of the next. */
    public record Span(long beginUs, long endUs) {}

    private Availability() {}

    /**
     * For each span the longest time, in milliseconds, between two acknowledgements one after the other, by whichever sender, of which the
     * second came in the span; the time from the last one to the end of the span counts too. Under a steady load that is some milliseconds
     * without a fault.
     */
    public static List<Long> longestGapsMs(History history, List<Span> spans) {
        long[] momentsUs =
                history.acknowledged().stream().mapToLong(Send::endUs).sorted().toArray();
        List<Long> gaps = new ArrayList<>();
        for (Span span : spans) {
            gaps.add(TimeUnit.MICROSECONDS.toMillis(longestGapUs(momentsUs, span)));
        }
        return gaps;
    }

    private static long longestGapUs(long[] momentsUs, Span span) {
        int next = firstAfter(momentsUs, span.beginUs());
        long lastUs = next == 0 ? span.beginUs() : momentsUs[next - 1];
        long longestUs = 0;
        while (lastUs < span.endUs()) {
            long momentUs = next < momentsUs.length ? Math.min(momentsUs[next], span.endUs()) : span.endUs();
            longestUs = Math.max(longestUs, momentUs - lastUs);
            lastUs = momentUs;
            next++;
        }
        return longestUs;
    }

    private static int firstAfter(long[] momentsUs, long beginUs) {
        int found = Arrays.binarySearch(momentsUs, beginUs);
        int index = found < 0 ? -found - 1 : found;
        while (index < momentsUs.length && momentsUs[index] <= beginUs) {
            index++;
        }
        return index;
    }
}
