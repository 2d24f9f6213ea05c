package dev.perigee.store.index;

import dev.perigee.loop.Immutable;

/**
 * Sizes of the key index.
 *
 * @param firstFileEntries entries of the first file, a power of two; every further one holds four times as many
 * @param maxFileEntries entries of a file at most, a power of two
 * @param blockEntries entries gathered in memory before they are written, in one write; divides a file
 */
@Immutable
public record IndexConfig(int firstFileEntries, int maxFileEntries, int blockEntries) {
    public static final IndexConfig DEFAULT = new IndexConfig(1 << 16, 1 << 20, 1 << 12);

    private static final int GROWTH = 4;

    public IndexConfig {
        if (Integer.bitCount(firstFileEntries) != 1
                || Integer.bitCount(maxFileEntries) != 1
                || Integer.bitCount(blockEntries) != 1
                || blockEntries > firstFileEntries
                || firstFileEntries > maxFileEntries
                || maxFileEntries > 1 << 26) {
            throw new IllegalArgumentException("firstFileEntries " + firstFileEntries + ", maxFileEntries "
                    + maxFileEntries + " and blockEntries " + blockEntries
                    + " must be powers of two, blockEntries <= firstFileEntries <= maxFileEntries <= 2^26");
        }
    }

    int entriesAfter(int fileEntries) {
        return Math.min(maxFileEntries, fileEntries * GROWTH);
    }
}
