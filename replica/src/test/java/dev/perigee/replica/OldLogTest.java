package dev.perigee.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.replica.follow.Restoring;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A slave that sets its log aside and fills itself anew ends with its master's log, whichever call of its disk is the last one of however
 * many starts.
 */
class OldLogTest {
    private static final int SEEDS = 4;
    private static final int FEWEST_CALLS = 20;

    /** What ends a start. */
    enum End {
        /** What was written is there. */
        KILL,
        /** Of what was never forced anything may be missing. */
        POWER_LOSS
    }

    @ParameterizedTest
    @EnumSource
    void aLogIsSetAsideAndFilledAnewHoweverOftenThatIsBrokenOff(End end) {
        for (int seed = 0; seed < SEEDS; seed++) {
            try {
                new Life(seed).run(end);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
        }
    }

    /** A slave whose master's log begins behind its own. */
    private static final class Life {
        private final SteppedReplicas replicas;
        private final ReplicaNode master;
        private final ReplicaNode slave;

        Life(long seed) {
            replicas = new SteppedReplicas(seed);
            master = replicas.node(0);
            slave = replicas.node(1);
        }

        void run(End end) throws Exception {
            fallBehind();
            int calls = 0;
            while (!becomesFull(calls)) {
                if (end == End.KILL) {
                    slave.kill();
                } else {
                    slave.crash();
                }
                calls += 1 + replicas.random.nextInt(2);
            }
            assertThat(calls).as("calls of the disk until it is full").isGreaterThan(FEWEST_CALLS);
            assertThat(slave.bytes()).isEqualTo(master.bytes());
            assertThat(slave.disk.list("old-log")).isEmpty();
            assertThat(slave.disk.exists("refill-wanted")).isFalse();
        }

        private void fallBehind() throws Exception {
            master.openMaster(false);
            slave.openSlave();
            replicas.sendFor(500, master, 2, 2_000);
            assertThat(replicas.runUntil(this::isLevel)).isTrue();
            slave.close();
            long ended = master.log().endOffset();
            replicas.sendFor(1_000, master, 2, 2_000);
            master.log().trimTo(master.log().nextSegmentStart(ended));
            slave.openSlave();
            assertThat(replicas.runUntil(() -> slave.tooOld != null)).isTrue();
            slave.close();
        }

        private boolean isLevel() {
            return slave.log().endOffset() == master.log().endOffset()
                    && slave.log().confirmOffset() == master.log().confirmOffset();
        }

        /** Starts it, to be ended in the call after so many. */
        private boolean becomesFull(int calls) {
            slave.seen.killAfter(calls);
            try {
                slave.openSlave();
                assertThat(replicas.runUntil(() -> slave.seen.isDead()
                                || (isLevel() && slave.notYet().isEmpty() && !slave.disk.exists(Restoring.FILE))))
                        .as("it fills itself after call %d", calls)
                        .isTrue();
                return !slave.seen.isDead();
            } catch (IOException | UncheckedIOException e) {
                assertThat(slave.seen.isDead())
                        .as("only a killed start fails: %s", e)
                        .isTrue();
                return false;
            }
        }
    }
}
