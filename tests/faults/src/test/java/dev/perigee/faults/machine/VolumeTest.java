package dev.perigee.faults.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.perigee.faults.machine.Volume.Ability;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
final class VolumeTest {
    private static final long SIZE_BYTES = 64 << 20;

    @TempDir
    private Path folder;

    @Test
    void aFullVolumeTakesNothingUntilThereIsRoom() throws IOException {
        try (Volume volume = Volume.create(RigName.next(), folder, "a", SIZE_BYTES)) {
            assumeTrue(volume.abilities().contains(Ability.FILL), volume.description());
            Path file = Files.writeString(volume.path().resolve("before"), "before");
            volume.fill();
            assertThatThrownBy(() -> Files.write(volume.path().resolve("during"), new byte[1 << 20]))
                    .hasMessageContaining("No space left");
            assertThat(file).hasContent("before");
            volume.makeRoom();
            Files.write(volume.path().resolve("after"), new byte[1 << 20]);
            volume.makeRoom();
        }
    }

    @Test
    void aVolumeThatLosesPowerHasOnlyWhatWasSynced() throws IOException {
        try (Volume volume = Volume.create(RigName.next(), folder, "a", SIZE_BYTES)) {
            assumeTrue(volume.abilities().contains(Ability.LOSE_POWER), volume.description());
            write(volume.path().resolve("synced"), "synced", true);
            write(volume.path().resolve("written"), "written", false);
            write(volume.path().resolve("synced"), "synced and more", false);
            volume.losePower();
            assertThatThrownBy(() -> Files.readString(volume.path().resolve("synced")))
                    .isInstanceOf(IOException.class);
            volume.regainPower();
            assertThat(volume.path().resolve("synced")).hasContent("synced");
            assertThat(volume.path().resolve("written")).doesNotExist();
        }
    }

    @Test
    void roomThatWasMadeIsStillThereAfterALossOfPower() throws IOException {
        try (Volume volume = Volume.create(RigName.next(), folder, "a", SIZE_BYTES)) {
            assumeTrue(volume.abilities().contains(Ability.LOSE_POWER), volume.description());
            volume.fill();
            write(volume.path().resolve("empty"), "", true); // the journal has the ballast now
            volume.makeRoom();
            volume.losePower();
            volume.regainPower();
            Files.write(volume.path().resolve("after"), new byte[1 << 20]);
        }
    }

    private static void write(Path file, String text, boolean synced) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            if (synced) {
                channel.force(true);
                try (FileChannel parent = FileChannel.open(file.getParent())) {
                    parent.force(true);
                }
            }
        }
    }

    @Test
    void aVolumeThatIsClosedLeavesNothing() throws IOException {
        Volume volume = Volume.create(RigName.next(), folder, "a", SIZE_BYTES);
        assumeTrue(volume.abilities().contains(Ability.FILL), volume.description());
        Path path = volume.path();
        Files.writeString(path.resolve("file"), "text");
        volume.close();
        assertThat(path.resolve("file")).doesNotExist();
        assertThat(LoopVolume.imageOf(path)).doesNotExist();
        assertThat(Path.of("/proc/mounts")).content().doesNotContain(path.toString());
    }
}
