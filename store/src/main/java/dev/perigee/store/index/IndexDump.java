package dev.perigee.store.index;

import dev.perigee.store.disk.Disk;
import java.io.IOException;

/** Spells the entries of a file out for comparisons. */
final class IndexDump {
    private IndexDump() {}

    static void describe(Disk disk, IndexFile file, long startOffset, StringBuilder text) throws IOException {
        for (int number = 1; number <= file.count(); number++) {
            byte[] entry = IndexWalk.read(disk, file, number);
            if (IndexEntry.physicalOffset(entry, 0) >= startOffset) {
                text.append(Integer.toHexString(IndexEntry.hash(entry, 0)));
                text.append(" at ").append(IndexEntry.physicalOffset(entry, 0)).append('\n');
            }
        }
    }
}
