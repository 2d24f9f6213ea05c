package dev.perigee.store.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FileDiskLockTest {
    @TempDir
    Path folder;

    @Test
    void lockNamesTheProcessThatHoldsItForWhoeverComesSecond() throws Exception {
        Path file = folder.resolve("lock");
        Files.writeString(file, "1234567890123"); // of a run that was killed
        try (DiskLock lock = new FileDisk(folder).lock("lock")) {
            assertThat(lock).isNotNull();
            assertThat(file).hasContent(Long.toString(ProcessHandle.current().pid()));
        }
        try (DiskLock again = new FileDisk(folder).lock("lock")) {
            assertThat(again).isNotNull();
        }
    }

    @Test
    void secondLockInOneProcessIsRefusedByName() throws Exception {
        FileDisk disk = new FileDisk(folder);
        try (DiskLock lock = disk.lock("lock")) {
            assertThat(lock).isNotNull();
            assertThatThrownBy(() -> disk.lock("lock"))
                    .isInstanceOf(IOException.class)
                    .hasMessage(folder.resolve("lock") + " is locked by this process: the folder is already open");
        }
    }
}
