package dev.perigee.store.disk;

import dev.perigee.loop.Immutable;

/**
 * How much of the disk was free, and how much has to be.
 *
 * @param freeBytes what could still be written
 * @param totalBytes the size of the disk
 * @param rule what has to be free
 * @param reserveBytes what has to be free besides, as the reserve ({@link Ballast}) was given up and is to be made again before anything
 *     is written; 0 while it is there
 */
@Immutable
public record DiskSpace(long freeBytes, long totalBytes, SpaceRule rule, long reserveBytes) {
    private static final int WHOLE_PERCENT = 100;

    /** What has to be free: the larger of the two. */
    @Immutable
    public record SpaceRule(long minFreeBytes, int minFreePercent) {}

    /** The same, with what the reserve wants now. */
    public DiskSpace withReserve(long wantedBytes) {
        return new DiskSpace(freeBytes, totalBytes, rule, wantedBytes);
    }

    /** What has to be free by the rule. */
    public long neededBytes() {
        return Math.max(rule.minFreeBytes, totalBytes / WHOLE_PERCENT * rule.minFreePercent);
    }

    /** The part of the disk that is in use, rounded down. */
    public int usedPercent() {
        double used = totalBytes - (double) freeBytes;
        return totalBytes <= 0 ? 0 : (int) (used / totalBytes * WHOLE_PERCENT);
    }

    /** Whether too little is free by the rule. */
    public boolean isShort() {
        return freeBytes < neededBytes();
    }

    /** Whether nothing is written, although enough is free by the rule, until the reserve is there again. */
    public boolean lacksReserveOnly() {
        return reserveBytes > 0 && !isShort();
    }
}
