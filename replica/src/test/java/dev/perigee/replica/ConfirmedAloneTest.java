package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a master confirms that asks nobody is confirmed for a later run that follows another one, whichever call of its disk was the last
 * one.
 */
class ConfirmedAloneTest {
    private static final int MOST_CALLS = 400;
    private static final long SILENCE_MS = 15_000;

    /** What was seen to be confirmed while no replica counted. */
    private long confirmed;

    @ParameterizedTest
    @CsvSource({"false,false", "false,true", "true,false", "true,true"})
    void itIsConfirmedWhereThatMasterFollows(boolean synchronous, boolean losesPower) throws Exception {
        int deaths = 0;
        boolean died = true;
        for (int calls = 0; died && calls < MOST_CALLS; calls += 1 + calls / 20) {
            died = run(synchronous, losesPower, calls);
            deaths += died ? 1 : 0;
        }
        assertThat(died).as("at last it outlives all of it").isFalse();
        assertThat(deaths).isGreaterThan(10);
    }

    /** Whether it died. */
    private boolean run(boolean synchronous, boolean losesPower, int calls) throws Exception {
        SteppedReplicas replicas = new SteppedReplicas(calls);
        ReplicaNode master = replicas.node(0);
        ReplicaNode slave = replicas.node(1);
        confirmed = 0;
        if (synchronous) {
            master.openMaster(true);
            slave.openSlave();
            assertThat(replicas.runUntil(() -> !master.inSync().isEmpty())).isTrue();
            replicas.sendFor(300, master, 1, 500);
            slave.kill();
        }
        master.seen.killAfter(calls);
        boolean died = !outlives(replicas, master, synchronous);
        if (died) {
            if (losesPower) {
                master.crash();
            } else {
                master.kill();
            }
            master.openSlave();
            assertThat(master.log().confirmOffset())
                    .as(
                            "killed in call %d, the log ends at %d",
                            calls, master.log().endOffset())
                    .isGreaterThanOrEqualTo(confirmed);
        }
        return died;
    }

    private boolean outlives(SteppedReplicas replicas, ReplicaNode master, boolean synchronous) throws Exception {
        try {
            if (!synchronous) {
                master.openMaster(false);
            }
            long endMs = replicas.passedMs() + (synchronous ? SILENCE_MS + 1_000 : 300);
            while (replicas.passedMs() < endMs && !master.seen.isDead()) {
                if (replicas.passedMs() % 500 == 0 || !synchronous) {
                    master.send(100);
                }
                replicas.run(SteppedReplicas.STEP_MS);
                if (master.inSync().isEmpty()) {
                    confirmed = Math.max(confirmed, master.log().confirmOffset());
                }
            }
        } catch (IOException | UncheckedIOException e) {
            assertThat(master.seen.isDead())
                    .as("only a killed process fails: %s", e)
                    .isTrue();
        }
        return !master.seen.isDead();
    }
}
