package dev.perigee.replica.follow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.store.append.FlushMode;
import dev.perigee.store.receive.SenderState;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Scripts: what happens to a replica, and what it confirms and answers for then. */
class SlaveReplicationTest {
    private final List<Long> told = new ArrayList<>();
    private SlaveReplication slave = slave(FlushMode.SYNC, 800);

    private SlaveReplication slave(FlushMode mode, long confirmedBefore) {
        SlaveReplication made = new SlaveReplication(mode, new Confirmed(confirmedBefore, 0, 0));
        made.onHeld(() -> told.add(made.heldOffset()));
        made.recovered(1, 1_000);
        return made;
    }

    private static SenderState sender(long session, long confirmOffset) {
        return new SenderState(session, 3, confirmOffset);
    }

    @Test
    void neverAppendsByItself() {
        assertThat(slave.mayAppend()).isFalse();
        assertThat(slave.mayReceive()).isTrue();
        assertThatThrownBy(() -> slave.appended(1_100)).isInstanceOf(IllegalStateException.class);
    }

    /** R10: what was found behind the kept confirm offset may have to go. */
    @Test
    void confirmsAtTheStartWhatItWasToldBeforeAndNotAllItHas() {
        assertThat(slave.confirmOffset()).isEqualTo(800);
        assertThat(slave(FlushMode.SYNC, 5_000).confirmOffset()).isEqualTo(1_000);
    }

    /** R19: the smaller of what the sender says and what was received. */
    @Test
    void confirmsWhatTheSenderSaysAsFarAsItIsHere() {
        slave.received(sender(1, 900), 1_000);
        assertThat(slave.confirmOffset()).isEqualTo(900);
        slave.received(sender(1, 2_000), 1_500);
        assertThat(slave.confirmOffset()).isEqualTo(1_500);
        slave.received(sender(1, 1_800), 1_900);
        assertThat(slave.confirmOffset()).as("what it said stays said").isEqualTo(1_900);
    }

    /**
     * R19: master 1 says 2,000 while 1,500 are here, and dies; master 2 never had those bytes. The replica is cut to 1,400 and
     * filled by master 2, which has confirmed 1,400: the word of master 1 must not confirm bytes of master 2.
     */
    @Test
    void whatOneSenderSaidConfirmsNothingOfAnother() {
        slave.received(sender(1, 2_000), 1_300);
        assertThat(slave.confirmOffset()).isEqualTo(1_300);
        slave.truncated(2, 1_300);
        slave.received(sender(2, 1_300), 1_900);
        assertThat(slave.confirmOffset()).isEqualTo(1_300);
    }

    @Test
    void theConfirmOffsetNeverFalls() {
        slave.received(sender(1, 1_000), 1_000);
        slave.received(sender(2, 500), 1_000);
        assertThat(slave.confirmOffset()).isEqualTo(1_000);
    }

    /** R24: below the confirm offset nothing is cut while the node runs. */
    @Test
    void isNeverCutBelowWhatItConfirmed() {
        slave.received(sender(1, 900), 1_000);
        assertThatThrownBy(() -> slave.truncated(2, 899))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("899")
                .hasMessageContaining("900");
    }

    @Test
    void answersForWhatIsOnItsDiskUnderSynchronousFlush() {
        assertThat(slave.heldOffset()).isEqualTo(1_000);
        slave.received(sender(1, 0), 1_500);
        assertThat(slave.heldOffset()).isEqualTo(1_000);
        slave.flushed(1, 1_400);
        slave.flushed(1, 1_500);
        assertThat(told).endsWith(1_400L, 1_500L);
    }

    @Test
    void answersForWhatIsWrittenUnderAsynchronousFlush() {
        slave = slave(FlushMode.ASYNC, 0);
        slave.received(sender(1, 0), 1_500);
        assertThat(slave.heldOffset()).isEqualTo(1_500);
    }

    /**
     * R1: forced to 1,100, cut to 1,000 and filled up to 1,100 again; then the completion of the old force comes. It must not
     * be answered for: the bytes it speaks of are gone.
     */
    @Test
    void aForceFromBeforeACutProvesNothing() {
        slave.received(sender(1, 0), 1_100);
        slave.truncated(2, 1_000);
        slave.received(sender(2, 0), 1_100);
        slave.flushed(1, 1_100);
        assertThat(slave.heldOffset()).isEqualTo(1_000);
        slave.flushed(2, 1_100);
        assertThat(slave.heldOffset()).isEqualTo(1_100);
    }

    @Test
    void saysNothingNewWhenNothingMoved() {
        told.clear();
        slave.received(sender(1, 700), 1_000);
        assertThat(told).isEmpty();
    }
}
