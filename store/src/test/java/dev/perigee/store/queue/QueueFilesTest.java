package dev.perigee.store.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.disk.ForwardingFile;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class QueueFilesTest {
    private static final String FOLDER = "consumequeue/orders/0";

    private final CrashingDisk disk = new CrashingDisk(new Random(1));
    private Runnable whileMapping = () -> {};
    private boolean failResize;
    private final QueueFiles files = new QueueFiles(
            new ForwardingDisk(disk) {
                @Override
                public DiskFile openRead(String name) throws IOException {
                    DiskFile opened = super.openRead(name);
                    whileMapping.run();
                    return opened;
                }

                @Override
                public DiskFile open(String name) throws IOException {
                    return new ForwardingFile(super.open(name)) {
                        @Override
                        public void resize(long size) throws IOException {
                            if (failResize) {
                                throw new IOException("injected: no room for " + name);
                            }
                            super.resize(size);
                        }
                    };
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
        whileMapping = () -> files.unmapFolder(FOLDER);
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(111);
        whileMapping = () -> {};
        files.forget(FOLDER);
        disk.delete(QueueFiles.fileName(FOLDER, 0));
        write(222);
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(222);
    }

    @Test
    void aMappingMadeWhileItsFileIsDroppedIsNotKept() throws IOException {
        write(111);
        whileMapping = () -> files.unmapFile(FOLDER, 0);
        files.map(FOLDER, 0);
        whileMapping = () -> {};
        files.forget(FOLDER);
        disk.delete(QueueFiles.fileName(FOLDER, 0));
        write(222);
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(222);
    }

    @Test
    void aMappingMadeByAReaderOfAQueueThatIsGoneIsNotServedToTheNextTopicOfTheName() throws IOException {
        write(111);
        files.unmapFolder(FOLDER);
        assertThat(files.map(FOLDER, 0).getLong(0))
                .as("a reader that came late")
                .isEqualTo(111);
        files.forget(FOLDER);
        disk.delete(QueueFiles.fileName(FOLDER, 0));
        write(222);
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(222);
    }

    @Test
    void forgettingOneFileLeavesThoseWhoseNamesBeginTheSame() throws IOException {
        write(111);
        byte[] entry = new byte[QueueEntry.SIZE_BYTES];
        QueueEntry.write(entry, 0, 222, 100, 0);
        files.write(FOLDER + "1", 0, entry, 0, 1);
        files.forget(FOLDER);
        assertThat(files.unforced()).containsExactly(QueueFiles.fileName(FOLDER + "1", 0));
        assertThat(files.unsyncedFolders()).containsExactly(FOLDER + "1");
    }

    @Test
    void aFileThatCouldNotBeMadeWholeIsMadeWholeWithTheNextTry() throws IOException {
        failResize = true;
        assertThatThrownBy(() -> write(111)).hasMessageContaining("injected");
        failResize = false;
        write(111);
        assertThat(disk.content(QueueFiles.fileName(FOLDER, 0))).hasSize(QueueWorld.SMALL.fileBytes());
        assertThat(files.map(FOLDER, 0).getLong(0)).isEqualTo(111);
    }
}
