package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class QueueFilesTest {
    private static final String FOLDER = "consumequeue/orders/0";

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private Runnable whileMapping = () -> {};
    private final QueueFiles files = new QueueFiles(
            new ForwardingDisk(disk) {
                @Override
                public DiskFile openRead(String name) throws IOException {
                    DiskFile opened = super.openRead(name);
                    whileMapping.run();
                    return opened;
                }
            },
            QueueWorld.SMALL);

    private void write(long physicalOffset) throws IOException {
        byte[] entry = new byte[QueueEntry.SIZE_BYTES];
        QueueEntry.write(entry, 0, physicalOffset, 100, 0);
        files.write(FOLDER, 0, entry, 0, 1);
    }

    @Test
    void aMappingMadeWhileItsFolderIsDroppedIsNotServedToTheNextTopicOfTheName() throws IOException {
        write(111);
        whileMapping = () -> files.dropFolder(FOLDER);
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(111);
        whileMapping = () -> {};
        disk.delete(QueueFiles.fileName(FOLDER, 0));
        write(222);
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(222);
    }

    @Test
    void aMappingMadeWhileItsFileIsDroppedIsNotKept() throws IOException {
        write(111);
        whileMapping = () -> files.dropFile(FOLDER, 0);
        files.map(FOLDER, 0);
        whileMapping = () -> {};
        disk.delete(QueueFiles.fileName(FOLDER, 0));
        write(222);
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(222);
    }
}
