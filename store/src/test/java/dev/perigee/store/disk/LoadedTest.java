package dev.perigee.store.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LoadedTest {
    private static final int SIZE_BYTES = 4 << 20;
    private static final int HALF_BYTES = SIZE_BYTES / 2;

    @TempDir
    private Path folder;

    @Test
    void onlyWhatIsInMemoryCountsAsLoaded() throws IOException {
        FileDisk disk = new FileDisk(folder);
        try (DiskFile file = disk.open("half")) {
            file.resize(SIZE_BYTES); // a hole: nothing of it was ever in memory
            file.write(ByteBuffer.allocate(HALF_BYTES), 0);
            ByteBuffer mapped = file.map(0, SIZE_BYTES);
            assertThat(DiskFile.isLoaded(mapped.slice(0, HALF_BYTES))).isTrue();
            assertThat(DiskFile.isLoaded(mapped.slice(100, 4_000))).isTrue();
            assertThat(DiskFile.isLoaded(mapped)).isFalse();
            assertThat(DiskFile.isLoaded(mapped.slice(HALF_BYTES - 100, 200_000)))
                    .isFalse();
        }
    }

    @Test
    void memoryOfTheProcessIsAlwaysLoaded() {
        assertThat(DiskFile.isLoaded(ByteBuffer.allocateDirect(10))).isTrue();
        assertThat(DiskFile.isLoaded(ByteBuffer.allocate(10))).isTrue();
    }
}
