package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.Disk;
import dev.perigee.store.disk.ForwardingDisk;
import dev.perigee.store.log.PacedTask;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Work beside the log: one task's steps, among what fails around them. */
final class PreparerTest {
    private final HandClock clock = new HandClock();
    private boolean failSpace;
    private final Disk disk = new ForwardingDisk(new CrashingDisk(new Random(1))) {
        @Override
        public long freeBytes() throws IOException {
            if (failSpace) {
                throw new IOException("injected: no answer about free space");
            }
            return super.freeBytes();
        }
    };

    private void step(LogRig rig) {
        clock.pass(10_000);
        rig.stepPreparer();
    }

    @Test
    void diskThatFailsBetweenTwoStepsOfATaskDoesNotEndTheTask() throws IOException {
        LogRig rig = new LogRig(disk, clock, new Random(2), FlushMode.SYNC);
        int[] steps = new int[1];
        assertThat(rig.engine().preparer().submit(() -> ++steps[0] < 3)).isTrue();
        step(rig);
        rig.send("topic", 0, "wakes the watch over free space");
        rig.settle();
        failSpace = true;
        step(rig);
        failSpace = false;
        step(rig);
        step(rig);
        step(rig);
        assertThat(steps[0])
                .as("a checkpoint left half-way would be waited for forever")
                .isEqualTo(3);
        rig.closeClean();
    }

    @Test
    void taskGoesOnWhileTheDiskDoesNotSayHowMuchIsFree() throws IOException {
        LogRig rig = new LogRig(disk, clock, new Random(2), FlushMode.SYNC);
        int[] steps = new int[1];
        assertThat(rig.engine().preparer().submit(() -> ++steps[0] < 3)).isTrue();
        failSpace = true;
        for (int i = 0; i < 3; i++) {
            rig.send("topic", 0, "wakes the watch over free space");
            rig.settle();
            step(rig);
        }
        assertThat(steps[0]).isEqualTo(3);
        failSpace = false;
        rig.closeClean();
    }

    @Test
    void taskThatFailsMakesWayForTheNext() throws IOException {
        LogRig rig = new LogRig(disk, clock, new Random(2), FlushMode.SYNC);
        boolean[] done = new boolean[1];
        PacedTask failing = () -> {
            throw new IOException("injected: task failed");
        };
        assertThat(rig.engine().preparer().submit(failing)).isTrue();
        assertThat(rig.engine().preparer().submit(() -> {
                    done[0] = true;
                    return false;
                }))
                .isTrue();
        step(rig);
        step(rig);
        assertThat(done[0]).isTrue();
        rig.closeClean();
    }
}
