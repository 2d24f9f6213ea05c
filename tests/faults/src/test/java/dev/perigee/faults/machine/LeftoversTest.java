package dev.perigee.faults.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A rig that was killed leaves its network, its disks and its stopped processes behind; the next one takes them away, and nothing else. */
@Tag("full")
final class LeftoversTest {
    @TempDir
    private Path folder;

    private static RigName ofADeadProcess() throws IOException {
        Process process = new ProcessBuilder("true").start();
        process.onExit().join();
        return RigName.ofProcess(process.pid());
    }

    @Test
    void whatADeadRigLeftIsRemovedAndWhatALivingOneHasStays() throws Exception {
        assumeTrue(Namespaces.whyNot().isEmpty(), "namespaces are not allowed here");
        RigName dead = ofADeadProcess();
        Network left = Namespaces.open(dead);
        Cable cable = left.attach();
        Volume disk = Volume.create(dead, folder, "a", 32 << 20);
        assumeTrue(disk.abilities().contains(Volume.Ability.FILL), disk.description());
        Process stopped = new ProcessBuilder(
                        VethCable.inside(cable.runner(), "sh", "-c", "kill -STOP $$; exec sleep 600"))
                .start();
        RigName living = RigName.next();
        try (Network network = Namespaces.open(living);
                Volume volume = Volume.create(living, folder, "a", 32 << 20)) {
            network.attach();
            assertThat(Leftovers.remove())
                    .contains("namespace " + dead.of("a"), "link " + dead.of("br"))
                    .contains("volume " + disk.path());
            assertThat(stopped.onExit().join().isAlive()).isFalse();
            assertThat(Command.output("ip", "netns", "list"))
                    .contains(living.of("a"))
                    .doesNotContain(dead.of("a"));
            assertThat(Command.output("ip", "-o", "link", "show"))
                    .contains(living.of("br"))
                    .doesNotContain(dead.of("a"))
                    .doesNotContain(dead.of("br"));
            assertThat(Path.of("/proc/mounts"))
                    .content()
                    .contains(volume.path().toString())
                    .doesNotContain(disk.path().toString());
            assertThat(Leftovers.remove()).isEmpty();
        }
    }

    @Test
    void namesThatARigDidNotMakeAreNeverItsLeftovers() throws Exception {
        String dead = ofADeadProcess().of("a");
        assertThat(RigName.isLeftBehind(dead)).isTrue();
        assertThat(RigName.isLeftBehind(RigName.next().of("a"))).isFalse();
        assertThat(RigName.isLeftBehind("eth0")).isFalse();
        assertThat(RigName.isLeftBehind("x" + dead)).isFalse();
        assertThat(RigName.isLeftBehind(dead + ".img")).isFalse();
        assertThat(dead).hasSizeLessThan(16);
    }
}
