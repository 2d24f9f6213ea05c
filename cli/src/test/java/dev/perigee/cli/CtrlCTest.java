package dev.perigee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CtrlCTest {
    /** Half of what a command is given to end. */
    private static final long PATIENCE_MS = 60_000;

    @Test
    void theProcessWaitsForTheEndOfTheCommandAndNotOfItsThread() throws InterruptedException {
        CtrlC ctrlC = new CtrlC();
        assertThat(ctrlC.isWanted()).isFalse();
        Thread hook = new Thread(ctrlC::endCommand, "hook");
        hook.start();

        assertThat(ctrlC.await(TimeUnit.MINUTES.toMillis(1))).isTrue();
        assertThat(hook.isAlive()).isTrue();
        ctrlC.close(); // on the thread of the command, which lives on
        hook.join(PATIENCE_MS);
        assertThat(hook.isAlive()).isFalse();
    }
}
