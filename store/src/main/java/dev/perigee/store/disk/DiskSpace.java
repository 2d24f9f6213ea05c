package dev.perigee.store.disk;

import dev.perigee.loop.Immutable;

/**
 * How much of the disk was free, and how much has to be.
 *
 * @param freeBytes what could still be written
 * @param totalBytes the size of the disk
 * @param rule what has to be free
 */
@Immutable
public record DiskSpace(long freeBytes, long totalBytes, SpaceRule rule) {
    private static final int WHOLE_PERCENT = 100;

    /** What has to be free: the larger of the two. */
    @Immutable
    public record SpaceRule(long minFreeBytes, int minFreePercent) {}

    /** What has to be free. */
    public long neededBytes() {
        return Math.max(rule.minFreeBytes, totalBytes / WHOLE_PERCENT * rule.minFreePercent);
    }

    /** The part of the disk that is in use, rounded down. */
    public int usedPercent() {
        double used = totalBytes - (double) freeBytes;
        return totalBytes <= 0 ? 0 : (int) (used / totalBytes * WHOLE_PERCENT);
    }

    /** Whether too little is free. */
    public boolean isShort() {
        return freeBytes < neededBytes();
    }
}
