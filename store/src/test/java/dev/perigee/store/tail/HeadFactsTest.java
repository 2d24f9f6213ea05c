package dev.perigee.store.tail;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.log.LogNames;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class HeadFactsTest {
    private static final int FILE_BYTES = 4_096;

    private final CrashingDisk disk = new CrashingDisk(new Random(1));

    /** R6: a start that waited for slaves and was given up leaves a file, and still there is no log. */
    @Test
    void filesThatWerePreparedHoldNoLog() throws IOException {
        assertThat(HeadFacts.isAnyByteIn(disk)).isFalse();
        disk.put(LogNames.fileName(0), new byte[0]);
        assertThat(HeadFacts.isAnyByteIn(disk)).isFalse();
        disk.put(LogNames.fileName(0), new byte[FILE_BYTES]);
        disk.put(LogNames.fileName(FILE_BYTES), new byte[FILE_BYTES]);
        assertThat(HeadFacts.isAnyByteIn(disk)).isFalse();
    }

    @Test
    void aLogWhoseHeadIsDamagedIsNotNone() throws IOException {
        disk.put(LogNames.fileName(0), new byte[FILE_BYTES]);
        byte[] later = new byte[FILE_BYTES];
        later[3] = 100;
        disk.put(LogNames.fileName(FILE_BYTES), later);
        assertThat(HeadFacts.isAnyByteIn(disk)).isTrue();
    }
}
