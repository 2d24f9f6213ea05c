package dev.perigee.sim.watch;

import dev.perigee.store.view.LogEntry;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;

/** What was confirmed where, as one number for each frame. */
final class FrameSums {
    private static final int HALF_OF_LONG = 32;

    private final Map<Long, Long> sums = new HashMap<>();

    /** Whether what is there now is the first that was seen there, or the same. */
    boolean isSame(LogEntry entry) {
        long sum = sum(entry);
        Long before = sums.putIfAbsent(entry.offset(), sum);
        return before == null || before == sum;
    }

    int frames() {
        return sums.size();
    }

    private static long sum(LogEntry entry) {
        CRC32C crc = new CRC32C();
        ByteBuffer bytes = entry.frame().buffer().duplicate();
        int from = entry.frame().position();
        crc.update(bytes.clear().position(from).limit(from + entry.sizeBytes()));
        return (crc.getValue() << HALF_OF_LONG) + entry.sizeBytes();
    }
}
