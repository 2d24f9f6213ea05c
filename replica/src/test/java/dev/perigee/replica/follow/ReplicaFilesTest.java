package dev.perigee.replica.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.replica.NodeId;
import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The two small files of a node that replicates: its name, and what it was told. */
class ReplicaFilesTest {
    private final Random random = new Random(1);
    private final CrashingDisk disk = new CrashingDisk(random);

    private void damage(String name, int position) throws IOException {
        try (DiskFile file = disk.open(name)) {
            ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, position);
            one.put(0, (byte) (one.get(0) ^ 1)).clear();
            file.write(one, position);
        }
    }

    /** R6: the name belongs to the folder; one that is wiped has another. */
    @Test
    void aFolderKeepsItsNameThroughALossOfPower() throws Exception {
        NodeId name = NodeId.of(disk, random);
        disk.crash();
        assertThat(NodeId.of(disk, random)).isEqualTo(name);
        assertThat(NodeId.of(new CrashingDisk(random), random)).isNotEqualTo(name);
        assertThat(name.text()).matches("[1-9a-f][0-9a-f]{0,15}");
    }

    @Test
    void aNodeWhoseNameIsUnreadableDoesNotTakeAnother() throws Exception {
        NodeId.of(disk, random);
        try (DiskFile file = disk.open(NodeId.FILE)) {
            file.resize(3);
        }
        assertThatThrownBy(() -> NodeId.of(disk, random))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(NodeId.FILE);
    }

    /** R10: the highest confirm offset that was told is kept durably. */
    @Test
    void whatWasToldSurvivesALossOfPower() throws Exception {
        ConfirmedFile file = new ConfirmedFile(disk);
        assertThat(file.read(5)).isEqualTo(Confirmed.NOTHING);
        for (long offset = 1; offset < 50; offset++) {
            Confirmed told = new Confirmed(offset, 3, -offset);
            file.write(5, told);
            disk.crash();
            assertThat(file.read(5)).isEqualTo(told);
        }
    }

    @Test
    void whatWasToldOfAnotherLogCountsNothing() throws Exception {
        ConfirmedFile file = new ConfirmedFile(disk);
        file.write(5, new Confirmed(1_000, 1, 7));
        assertThat(file.read(6)).isEqualTo(Confirmed.NOTHING);
    }

    @Test
    void aDamagedFileIsNoPermissionToCut() throws Exception {
        ConfirmedFile file = new ConfirmedFile(disk);
        file.write(5, new Confirmed(1_000, 1, 7));
        damage(ConfirmedFile.FILE, 20);
        assertThatThrownBy(() -> file.read(5)).isInstanceOf(IOException.class).hasMessageContaining(ConfirmedFile.FILE);
    }
}
