package dev.perigee.broker.transaction.producer;

import dev.perigee.loop.OwnedBy;
import java.util.HashMap;
import java.util.Map;

/**
 * Groups of producers of which nobody was there when their halves were looked at: since when. A group is forgotten when somebody is there
 * again, and when no half of it was looked at in its time, for then it has none any more. All times are monotonic.
 */
@OwnedBy("view loop")
public final class AbsentGroups {
    /** Groups that are remembered at most; of one more each look is as the first. */
    public static final int MAX_GROUPS = 10_000;

    /** By so much a look may be late: with millions of halves, or while the log takes no facts. */
    static final long LATE_MS = 7_200_000;

    private static final long SWEEP_AGAIN_MS = 600_000;

    /**
     * Nobody is there.
     *
     * @param sinceMs the first look that found nobody
     * @param nextLookMs when the last of the group's halves is looked at again
     */
    private record Absent(long sinceMs, long nextLookMs) {
        boolean isOver(long nowMs) {
            return nowMs - nextLookMs > LATE_MS;
        }
    }

    private final Map<String, Absent> groups = new HashMap<>();
    private long sweepAtMs = Long.MIN_VALUE;

    /** All groups are taken to be there. */
    public AbsentGroups() {}

    /** How long nobody of a group has been there; 0 when this is the first look that finds nobody, and where that is not known. */
    public long absentMs(String group, long nowMs) {
        Absent absent = groups.get(group);
        return absent == null || absent.isOver(nowMs) ? 0 : nowMs - absent.sinceMs();
    }

    /** Nobody was there, and the half that was looked at is looked at again after a while. */
    public void lookAgain(String group, long nowMs, long waitMs) {
        sweep(nowMs);
        Absent before = groups.get(group);
        if (before == null && groups.size() >= MAX_GROUPS) {
            return;
        }
        long nextLookMs = nowMs + waitMs;
        groups.put(
                group,
                before == null || before.isOver(nowMs)
                        ? new Absent(nowMs, nextLookMs)
                        : new Absent(before.sinceMs(), Math.max(before.nextLookMs(), nextLookMs)));
    }

    private void sweep(long nowMs) {
        if (nowMs >= sweepAtMs) {
            sweepAtMs = nowMs + SWEEP_AGAIN_MS;
            groups.values().removeIf(absent -> absent.isOver(nowMs));
        }
    }

    /** Somebody of the group is there. */
    public void present(String group) {
        groups.remove(group);
    }

    /** Groups that are remembered. */
    int count() {
        return groups.size();
    }
}
