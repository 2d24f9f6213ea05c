package dev.perigee.store.append;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.store.disk.CrashingDisk;
import dev.perigee.store.disk.DyingDisk;
import dev.perigee.store.recovery.LogCut;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A cut by hand that is broken off in any call to the disk was never begun, or is finished by the next start. */
final class BrokenOffCutTest {
    private static final int UNITS = 150;

    private static void breakOffEverywhere(boolean powerGoes) throws IOException {
        boolean broken = true;
        int calls = 0;
        for (; broken; calls++) {
            CrashingDisk disk = new CrashingDisk(new Random(calls));
            LogRig rig = new LogRig(disk, new HandClock(), new Random(2), FlushMode.SYNC);
            long offset = 0;
            for (int i = 0; i < UNITS; i++) {
                Sent sent = rig.send("topic", 0, "x".repeat(1_000));
                rig.settle(); // each is flushed by itself: what is left behind a half cut proves that what is
                // missing was there
                offset = i == 20 ? sent.request().endOffset() : offset;
            }
            long end = rig.log().endOffset();
            rig.closeClean();
            DyingDisk dying = new DyingDisk(disk);
            dying.killAfter(calls);
            try {
                LogCut.run(dying, offset, LogRig.SEGMENT_BYTES);
            } catch (IOException e) {
                assertThat(dying.isDead()).isTrue();
            }
            broken = dying.isDead();
            if (powerGoes) {
                disk.crash();
            } else {
                disk.kill();
            }
            rig.reopen();
            assertThat(rig.engine().report().endOffset())
                    .as("broken off in call %d", calls)
                    .isIn(broken ? end : offset, offset);
            rig.settle();
            assertThat(rig.faults()).isEmpty();
        }
        assertThat(calls).isGreaterThan(5);
    }

    @Test
    void aCutByHandThatIsKilledIsFinishedByTheNextStart() throws IOException { // R3
        breakOffEverywhere(false);
    }

    @Test
    void aCutByHandThatLosesPowerIsFinishedByTheNextStart() throws IOException { // R3
        breakOffEverywhere(true);
    }
}
